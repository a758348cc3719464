// Values for a graph's inputs from a folder of files.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

// Gives the inputs of these names, in the model's order, their values from `folder`: NAME.npy or NAME.pb (as
// file_name_of has it), or input_N.npy, input_N.pb with N the input's position. Names that the graph has not are of
// inputs without elements: their files are not read.
// UserError for a file that is missing or no input's, of another shape, or with values that the input's type or an
// int32 does not hold.
void read_input_values(const std::string& folder, const std::vector<std::string>& names, Graph& graph);

// The tensor's name as the name of a file: '/' and what else folders may not hold become '_'.
std::string file_name_of(const std::string& tensor);

}  // namespace tilewright
