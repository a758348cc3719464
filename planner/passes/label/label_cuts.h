// Where an operator is cut: by the planner, or by a split given from outside.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Ranges of every dimension of an operator's output, and of its reduction (empty: not cut).
struct Cuts {
  std::vector<std::vector<Range>> output;
  std::vector<Range> k;
  int per_group = 0;

  std::int64_t items() const {
    std::int64_t count = std::max<std::int64_t>(1, std::ssize(k));
    for (const auto& ranges : output) count *= std::ssize(ranges);
    return count;
  }
};

Cuts cuts_of(const Plan& plan, OperatorId op);

}  // namespace tilewright
