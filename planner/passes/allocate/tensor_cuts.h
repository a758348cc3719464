// Where a tensor is cut into pieces, and in whose memory each lies.
#pragma once

#include <utility>
#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

struct Cut {
  int dimension = 0;
  std::vector<std::pair<Range, int>> ranges;  // and the region of DRAM, or the cluster
};

// What pieces lie next to.
enum class Homes : std::uint8_t { kRegions, kClusters };

// Needs every TensorPlan::alias_of.
class TensorCuts {
 public:
  explicit TensorCuts(const Plan& plan);

  // Of a tensor with memory of its own, over the regions.
  Cut in_dram(TensorId id) const;
  // Of what an operator writes: next to the cores that write it; `number` > 0: all of it in that cluster, from 1 on.
  Cut in_clusters(TensorId id, int number) const;

 private:
  bool fits_aliases(TensorId id, const Cut& cut) const;
  std::size_t least_pieces() const;

  const Plan& plan_;
  std::vector<std::vector<TensorId>> aliases_;  // by TensorId: renamings of it
};

}  // namespace tilewright
