// A run's outputs as files of their own.
#pragma once

#include <string>
#include <vector>

#include "planner/ir/plan.h"
#include "sim/session.h"

namespace tilewright {

// NAME.npy, or output_N.pb in the order of the model, in the types of the model's file. `segments` are the run's, with
// values. UserError where a value is none of its type.
void write_outputs(const Plan& plan, const std::vector<SegmentData>& segments, const std::string& folder, bool proto);

}  // namespace tilewright
