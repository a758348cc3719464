// Which cores compute which parts of a product or convolution on a chip whose clusters share what their cores read.
//
// Its parts lie in a grid. Row by row, a cluster reads the operand of one row and those of as many columns as it has
// cores; in panels of some columns, each row by row, it reads few of both. Kernels for GPUs number their blocks so for
// a shared cache (Triton's matrix multiplication tutorial: "grouped ordering").
#pragma once

#include <optional>

#include "planner/ir/plan.h"

namespace tilewright {

// `split` of operator `id` with its parts moved between its cores: in panels of the width with which clusters together
// read the fewest bytes. Nothing where none saves any, where clusters do not share (Hardware::load_group()) or memories
// are not equally far, in the mode `hybrid`, or where the parts are no grid in rows, those of one sum together.
std::optional<Split> in_panels(const Plan& plan, OperatorId id, const Split& split);

}  // namespace tilewright
