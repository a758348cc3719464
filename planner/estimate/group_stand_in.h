// A group's operators as a plan of their own on one core, every tensor in one piece: what lowering needs, before
// anything has its place in the network's plan. As large as the group, whatever the network.
#pragma once

#include <map>

#include "planner/ir/plan.h"

namespace tilewright {

class GroupStandIn {
 public:
  GroupStandIn(const Plan& plan, const OperatorGroup& group);

  const Plan& plan() const { return plan_; }
  const OperatorGroup& group() const { return plan_.groups[0]; }
  // Gives the core this part of the group's result to compute; false: it needs nothing of a member (member_parts()).
  bool assign(const BoxRange& output);

 private:
  TensorId tensor(TensorId id);

  const Plan& from_;
  Plan plan_;
  std::map<TensorId, TensorId> ids_;  // of the network, and here
};

}  // namespace tilewright
