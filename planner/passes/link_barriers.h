// Where cores must wait for each other: an operator that reads on one core what another core wrote comes behind a
// barrier, and so do just the loads that read it.
#pragma once

#include <vector>

#include "planner/passes/plan.h"

namespace tilewright {

// DRAM that other cores wrote before barrier number `barrier` of the chip.
struct RemoteRange {
  Address begin = 0, end = 0;
  int barrier = 0;
};

// What one operator needs, by core.
struct Exchange {
  bool barrier = false;  // a new one, before the operator
  std::vector<std::vector<RemoteRange>> remote;
};

class BarrierPlan {
 public:
  explicit BarrierPlan(const Plan& plan);
  // To be asked once for every operator with instructions, in the order of the plan.
  Exchange next(OperatorId id);

 private:
  // The first barrier behind the operator at `position`; one more than there are when there is none.
  int barrier_after(int position) const;

  const Plan& plan_;
  std::vector<int> position_;  // of each operator in the order
  std::vector<int> barriers_;  // position of the operator behind each
};

}  // namespace tilewright
