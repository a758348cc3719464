// What moving boxes of placed tensors keeps busy where memories are not equally far: the regions of DRAM, the ports of
// clusters and the links between them. A prediction, for telling splits of an operator apart.
#pragma once

#include <vector>

#include "planner/estimate/operand_access.h"

namespace tilewright {

class RegionTraffic {
 public:
  explicit RegionTraffic(const Plan& plan);

  // The accesses of one operator to `tensor`, which is placed. What cores of a cluster read alike leaves it once where
  // their loads are shared.
  void add(TensorId tensor, const std::vector<OperandAccess>& accesses, bool read);
  RegionTraffic& operator+=(const RegionTraffic& other);

  // Core clocks of the busiest of them.
  double cycles() const;

 private:
  struct Bytes {
    double all = 0, remote = 0;
  };
  // Where an access costs nothing since another one has brought the same.
  struct Repeated {
    bool at_cluster = false, at_memory = false;
  };
  Repeated repeated(const std::vector<OperandAccess>& accesses, const OperandAccess& access) const;
  double slowest(const std::vector<Bytes>& moved, double bandwidth) const;

  const Plan* plan_;
  std::vector<Bytes> clusters_, regions_;
};

}  // namespace tilewright
