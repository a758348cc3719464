// Where cores must wait for each other: an operator that reads on one core what another core wrote comes behind a
// barrier, and so do just the loads that read it. Where tensors share memory, what is written on one core over what
// another core wrote or read comes behind a barrier, too; likewise partial results of operators that lie where those of
// others lay.
#pragma once

#include <set>
#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

// DRAM that other cores wrote before barrier number `barrier` of the chip.
struct RemoteRange {
  Address begin = 0, end = 0;
  int barrier = 0;
};

struct AddressRange {
  Address begin = 0, end = 0;
};

// What one operator needs, by core.
struct BarrierStep {
  bool barrier = false;  // a new one, before the operator
  // Memory that the barrier gives to other tensors: every core has read from it what it will.
  std::vector<AddressRange> released;
  std::vector<std::vector<RemoteRange>> remote;
};

class BarrierPlan {
 public:
  explicit BarrierPlan(const Plan& plan);
  // To be asked once for every operator with instructions, in the order of the plan; for a group as a whole.
  BarrierStep next(OperatorId id);

 private:
  // Memory of a tensor in which others lie later.
  struct Shared {
    TensorId tensor = -1;
    int last_use = 0;  // position
    std::vector<AddressRange> pieces;
    bool released = false;  // behind a barrier that comes after the last use
  };

  void find_shared();
  // Cores whose instructions write or read the tensor.
  std::set<int> cores_of(TensorId storage) const;
  // Whether the operator's output lies where tensors lay that other cores wrote or read behind the last barrier.
  bool must_wait_for_memory(OperatorId id) const;
  std::vector<AddressRange> release(int position);
  // In DRAM where others will lie.
  std::vector<AddressRange> partials_of(OperatorId id) const;

  // Cores that read what the writer wrote only behind a barrier.
  std::vector<int> cores_that_wait(OperatorId id, OperatorId writer, std::size_t input) const;
  // What the operator reads that other cores wrote.
  void add_reads(OperatorId id, BarrierStep& step) const;
  // The first barrier behind the operator at `position`; one more than there are when there is none.
  int barrier_after(int position) const;

  const Plan& plan_;
  std::vector<int> position_;  // of each operator in the order
  std::vector<int> barriers_;  // position of the operator behind each
  std::vector<Shared> shared_;
  std::vector<AddressRange> partials_;  // of the last operator with some, as long as no barrier follows it
  std::vector<std::vector<std::size_t>> lay_before_;  // by TensorId: which of shared_ lay in its memory
};

}  // namespace tilewright
