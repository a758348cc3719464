// needs:      fold
// does:       makes matrix products two- or three-dimensional, and (with PlanOptions::fuse) gives the operators behind a
//             matmul or convolution that it can apply itself, bias, scale and activation, to it as epilogues; a matmul
//             reads matrices that a Transpose would turn as they lie
// guarantees: an epilogue's operand is a one-dimensional constant; every matmul and every convolution has two inputs
#pragma once

#include "planner/passes/plan.h"

namespace tilewright {

void fuse(Plan& plan);
void verify_fuse(const Plan& plan);

}  // namespace tilewright
