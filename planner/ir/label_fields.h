// Labels against the plan that was made of them, field by field.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// InternalError unless the labels of a plan, as far as the pass reduce_partials or further, say what its tensors and
// operators are: type, order, padding and size of what lies in memory; granules of the units; split as the parts are;
// who else needs a piece at least; who adds up partial results; and the label of a tensor what its writer's, or its
// first reader's, says.
void expect_fields_hold(const Plan& plan);

}  // namespace tilewright
