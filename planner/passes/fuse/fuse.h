// needs:      fold
// does:       makes matrix products two- or three-dimensional; with PlanOptions::fuse the operators behind a matmul or
//             convolution that it can apply itself (bias, scale, mask, residual, activation) become its epilogues,
//             a convolution scales its weights itself, and a matmul reads matrices that a Transpose would change as
//             they lie
// guarantees: an epilogue's operand has one of the forms of ir/epilogue.h; every matmul and every convolution has two
//             inputs and, where its weights have scales or factors, those as the third
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

void fuse(Plan& plan);
void verify_fuse(const Plan& plan);

}  // namespace tilewright
