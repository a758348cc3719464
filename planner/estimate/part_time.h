// What a part of a product should take on its core, and into how many parts a product is worth cutting: for telling
// grids of parts apart, never reported.
#pragma once

#include "planner/ir/contraction.h"
#include "planner/ir/plan.h"

namespace tilewright {

// Operands in and results out of a part when all cores move theirs, core clocks.
double moved_cycles(const Plan& plan, const Contraction& part);

// The larger of compute and load time of the part, core clocks, when all cores load at once.
double part_cycles(const Plan& plan, const Contraction& part);

// Adding up `parts` partial results of the part's box. Each step signals once and moves what it adds there and back.
double reduction_cycles(const Plan& plan, const Contraction& part, std::int64_t parts, Reduction reduction);
// By which that takes the least time, another one than by clusters if it takes less by constants().fewer_cores_gain.
Reduction fastest_reduction(const Plan& plan, const Contraction& part, std::int64_t parts);

// Of a product cut so: the slowest part by itself, then its partial results, of a sum in `sums` parts.
double split_cycles(const Plan& plan, const Operator& op, const Split& split, std::int64_t sums = 1,
                    Reduction reduction = Reduction::kClusters);

// How many cores a matrix product is worth: cut over more, a small one only reads its operands more often.
// All cores of the chip, or the half, quarter ... of them with which its predicted time is clearly lower.
// All of them for other operators, and where a cluster reads once what several of its cores need.
int profitable_cores(const Plan& plan, const Operator& op);

}  // namespace tilewright
