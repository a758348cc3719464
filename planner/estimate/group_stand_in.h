// A group's operators as a plan of their own on one core, every tensor in one piece at first: what lowering needs,
// before anything has its place in the network's plan. As large as the group, whatever the network.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "planner/ir/plan.h"

namespace tilewright {

class GroupStandIn {
 public:
  GroupStandIn(const Plan& plan, const OperatorGroup& group);

  const Plan& plan() const { return plan_; }
  const OperatorGroup& group() const { return plan_.groups[0]; }
  // Gives the core this part of the group's result to compute; false: it needs nothing of a member (member_parts()).
  bool assign(const BoxRange& output);
  // Lays a constant of one reader, by its number in plan(), as it will lie when it is read `size` positions of the
  // dimension at a time: each time one run of addresses. Nothing is done to any other tensor.
  void cut_constant(TensorId id, int dimension, std::int64_t size);

 private:
  TensorId tensor(TensorId id);

  const Plan& from_;
  Plan plan_;
  // By the network's tensor without renamings and its shape, as operators see one tensor in one shape: the one here.
  std::map<std::pair<TensorId, Shape>, TensorId> ids_;
  std::set<TensorId> laid_by_reader_;  // here
};

}  // namespace tilewright
