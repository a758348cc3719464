// Parts of a product: the grid over batch, rows, columns and reduction whose slowest part is predicted to be fastest.
#pragma once

#include "planner/passes/label/allowed_parts.h"
#include "planner/passes/label/parts.h"

namespace tilewright {

Parts grid_parts(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores);

}  // namespace tilewright
