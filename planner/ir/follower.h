// Reductions along the rows of a result that are formed where the rows are made: from each tile of a product's or a
// convolution's result, before it leaves the core, by the instructions of that operator. Else what is reduced is
// written to memory and read again at once: by squeeze-and-excitation gates between two convolutions, by the maxima of
// scores.
#pragma once

#include <optional>

#include "planner/ir/plan.h"

namespace tilewright {

// The operator that `id`, a reduction along the last dimension, may follow: a convolution whose means lie beside the
// values of a tile in their place, of the accumulator's size, or a product, which has places for its followers'
// results (possible_followers()). Nothing: it is on its own.
std::optional<OperatorId> may_follow(const Plan& plan, OperatorId id);
// How many operators may follow `product`.
std::int64_t possible_followers(const Plan& plan, const Operator& product);
// The part of the follower's result behind a part of the leader's.
WorkItem following(const WorkItem& leader);
// Operators that follow `leader` (OperatorPlan::leader), in order.
std::vector<OperatorId> followers_of(const Plan& plan, OperatorId leader);

}  // namespace tilewright
