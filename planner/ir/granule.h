// The granules of labels: what a unit takes at a time.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Of a dimension of `size` elements, the innermost one or not, that stands for `axis` of the operator's output
// (ir/axes.h): rows and columns of the array, lanes of the vector unit. A dimension that is no multiple goes element by
// element as far as the label says: the unit masks what is missing.
std::int64_t granule_at(const Plan& plan, const Operator& op, int axis, bool innermost, std::int64_t size);

}  // namespace tilewright
