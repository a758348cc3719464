// Groups of operators: chains of products, with softmax between them where they ask for it, that are walked together by
// blocks of rows, so that what is between them goes from the accumulate buffer into an input buffer and never to
// memory.
#pragma once

#include <string>

#include "planner/ir/plan.h"

namespace tilewright {

// The group that the operator is in; null: none.
const OperatorGroup* group_of(const Plan& plan, OperatorId id);
// The operator whose instructions compute `id`: the last one of its group, or itself.
OperatorId root_of(const Plan& plan, OperatorId id);
// The operators computed by the instructions of `root`, in order: its group's, or itself.
std::vector<OperatorId> computed_by(const Plan& plan, OperatorId root);
// Whether the tensor goes from one operator of a group to the next, on the core.
bool stays_on_core(const Plan& plan, TensorId tensor);

// The dimension of a group's result that its batches are cut along; past the last one: none.
std::size_t batch_dimension(const Shape& shape);
// The part of a member's result behind `output`, a part of the group's: the same rows, whole.
BoxRange member_part(const Graph& graph, OperatorId member, const BoxRange& output);

// Why these operators, each reading the one before it, cannot be walked together by rows; empty when they can. Products
// of which each reads the rows of the one before it as they are, softmax along a row behind a product but not at the
// end; every result between them has one reader. All have the same rows.
std::string chain_fault(const Graph& graph, const std::vector<OperatorId>& members);

}  // namespace tilewright
