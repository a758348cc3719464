// How the dimensions of a result nest in memory (TensorPlan::nesting).
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Images that operators hand on lie row by row, each with all its channels (NHCW), unless the options say row-major:
// windows are walked by rows and cut into rows, and a few rows of an image by channels are a short run of each. Pieces
// are placed before. What comes from outside, goes there or is seen in another shape keeps the order of its shape.
void nest_images(Plan& plan);

// InternalError for a nesting that is no order of the tensor's dimensions, or of a tensor that others see in another
// shape.
void expect_nesting(const Plan& plan);

}  // namespace tilewright
