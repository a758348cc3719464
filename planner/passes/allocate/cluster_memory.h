// Addresses of tensors in the addressed memory of clusters.
#pragma once

#include <vector>

#include "planner/ir/lifetime.h"
#include "planner/ir/plan.h"

namespace tilewright {

class ClusterMemory {
 public:
  // Needs every TensorPlan::alias_of. What partial results take (planner/ir/partials.h) is not handed out.
  explicit ClusterMemory(const Plan& plan);

  // Gives every piece that lies in a cluster an address there. Pieces lie apart where the memory has room for all of
  // them; else each, in the order in which they are written, at the lowest addresses that are free while it is needed.
  // False, and nothing placed, when one finds no room.
  bool place(Plan& plan) const;
  const Lifetime& life_of(TensorId tensor) const { return lives_[tensor]; }
  // Bytes of a cluster's memory that partial results leave.
  Bytes room(int cluster) const { return capacity_[cluster] - begin_[cluster]; }

 private:
  std::vector<Lifetime> lives_;          // by TensorId
  std::vector<Bytes> capacity_, begin_;  // by cluster: of its memory, and behind its partial results
};

}  // namespace tilewright
