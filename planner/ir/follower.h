// Means of the rows of images that are formed where the rows are made: from each tile of a convolution's result, before
// it leaves the core, by the instructions of the convolution. Else what the mean of an image is taken of is written to
// memory and read again at once, by squeeze-and-excitation gates between two convolutions.
#pragma once

#include <optional>

#include "planner/ir/plan.h"

namespace tilewright {

// The convolution that operator `id`, a mean along the last dimension, may follow; nothing: it is on its own. Its
// results lie beside the values of a tile in their place, of the accumulator's size.
std::optional<OperatorId> may_follow(const Plan& plan, OperatorId id);
// The part of the follower's result behind a part of the convolution's.
WorkItem following(const WorkItem& leader);
// Operators that follow `leader` (OperatorPlan::leader), in order.
std::vector<OperatorId> followers_of(const Plan& plan, OperatorId leader);

}  // namespace tilewright
