// Into how many parts each dimension of an operator's output, and what it sums over, is cut.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

struct Parts {
  std::vector<std::int64_t> output;  // per dimension of the output
  std::int64_t k = 1;                // of the reduction
  int per_group = 0;                 // parts that stay in one cluster, groups of them cluster by cluster; 0: no groups
};

// The parts that the strategies allow in the mode of the plan's options and that are predicted to be fastest.
// `sums`: how many parts of the sum are asked for; 0: any. UserError where a row asks for more pieces than there are
// elements or cores, and for a sum that cannot be cut into so many.
Parts choose_parts(const Plan& plan, const Operator& op, std::int64_t sums);

// A dimension of the output that can only be cut at multiples: between the groups of a convolution.
std::int64_t granule_of(const Plan& plan, const Operator& op, std::size_t dimension);

}  // namespace tilewright
