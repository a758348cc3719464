// Groups of operators that are walked together by blocks of rows, so that what is between them goes from the accumulate
// buffer into an input buffer and never to memory: chains of products, with softmax behind them where they ask for it,
// and chains of windows (convolutions and pools), whose rows are those of images.
#pragma once

#include <string>

#include "planner/ir/plan.h"

namespace tilewright {

// The group that the operator is in; null: none.
const OperatorGroup* group_of(const Plan& plan, OperatorId id);
// The operator whose instructions compute `id`: the last one of its group, that of its leader (ir/follower.h), or
// itself.
OperatorId root_of(const Plan& plan, OperatorId id);
// The operators computed by the instructions of `root`, in order: its group's, or itself, and their followers.
std::vector<OperatorId> computed_by(const Plan& plan, OperatorId root);
std::vector<std::string> names_of(const Graph& graph, const std::vector<OperatorId>& operators);
// The plan's groups by the names of their members.
std::vector<GroupChoice::Group> named_groups(const Plan& plan);
// Whether the choice names the operator in a group.
bool is_grouped(const GroupChoice& choice, const std::string& op);
// Whether the options do: it is walked by blocks of rows, and what is between it and the next member takes no memory.
bool is_told_together(const Plan& plan, const std::string& op);
// Whether the options leave it to the planner how parts are cut, in floats, as groups need it.
bool may_have_groups(const PlanOptions& options);
// Whether the tensor goes from one operator of a group to the next, on the core.
bool stays_on_core(const Plan& plan, TensorId tensor);

// A convolution or a pool.
bool is_window(const Operator& op);
// Whether a group's rows are those of images, of which each result needs several of the one before it.
bool walks_windows(const Graph& graph, const OperatorGroup& group);

// Parts of each dimension where a group's batches, of the dimensions in front of the last two, are cut into `parts`, or
// fewer: the first of them into single ones before the next one is cut.
std::vector<std::int64_t> batch_cuts(const Shape& shape, std::int64_t parts);
// Parts that each dimension of the result of `op`, a member, is cut into.
std::vector<std::int64_t> parts_of(const Graph& graph, const OperatorGroup& group, const Operator& op);
// The parts of the members' results behind `output`, a part of the group's, in order. Those of products are the same
// rows, whole; those of windows are what the next one's window covers, so that parts of neighbours overlap. Empty: a
// window covers nothing but padding.
std::vector<BoxRange> member_parts(const Plan& plan, const OperatorGroup& group, const BoxRange& output);

// Whether they are two products side by side (a dual GEMM), as gate and up of a gated layer: of the same rows, and what
// the second computes is combined with the result of the first, element by element.
bool are_side_by_side(const Graph& graph, const Operator& first, const Operator& second);
// Why these operators, each reading the one before it, cannot be walked together by rows; empty when they can. Products
// of which each reads the rows of the one before it as they are, the first two of which may be side by side, softmax
// along a row behind a product, all of the same rows; or convolutions and pools. Every result between them has one
// reader.
std::string chain_fault(const Graph& graph, const std::vector<OperatorId>& members);
// Whether parts of the result's channels need no more of the members before the last one than their own.
bool channels_can_be_cut(const Graph& graph, const OperatorGroup& group);

}  // namespace tilewright
