// How many cores a matrix product is worth: cut over more, a small one only reads its operands more often.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// All cores of the chip, or the half, quarter ... of them with which a bound of the product's time is clearly lower.
// All of them for other operators, and where a cluster's cache serves what several of its cores read.
int profitable_cores(const Plan& plan, const Operator& op);

}  // namespace tilewright
