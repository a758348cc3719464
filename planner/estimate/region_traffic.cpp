#include "planner/estimate/region_traffic.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"

namespace tilewright {

RegionTraffic::RegionTraffic(const Plan& plan)
    : plan_(&plan), clusters_(plan.hardware.clusters), regions_(plan.hardware.dram.regions) {}

// Whether a core whose reads may serve it reads the same before, of its cluster or of the whole chip.
RegionTraffic::Repeated RegionTraffic::repeated(const std::vector<OperandAccess>& accesses,
                                                const OperandAccess& access) const {
  const Hardware& hardware = plan_->hardware;
  Repeated repeated;
  if (!hardware.shares_loads()) return repeated;
  for (const OperandAccess* before = accesses.data(); before != &access; ++before) {
    if (before->box != access.box) continue;
    if (hardware.cluster_of(before->core) == hardware.cluster_of(access.core)) repeated.at_cluster = true;
    if (hardware.load_group(before->core) == hardware.load_group(access.core)) repeated.at_memory = true;
  }
  return repeated;
}

void RegionTraffic::add(TensorId tensor, const std::vector<OperandAccess>& accesses, bool read) {
  if (!plan_->tensors[tensor].parts.empty()) {
    for (const auto& [part, own] : accesses_by_part(*plan_, tensor, accesses)) add(part, own, read);
    return;
  }
  const Hardware& hardware = plan_->hardware;
  const Spread spread(*plan_, tensor, Spread::Homes::kRegions);
  const double element = bytes_of(plan_->tensors[tensor].type);
  for (const OperandAccess& access : accesses) {
    const Repeated had = read ? repeated(accesses, access) : Repeated{};
    if (had.at_cluster) continue;
    const int cluster = hardware.cluster_of(access.core), own = hardware.local_region(cluster);
    const std::vector<double> elements = spread.of(access.box);
    for (int region = 0; region < hardware.dram.regions; ++region) {
      const double bytes = elements[region] * element * access.times;
      clusters_[cluster].all += bytes;
      if (region != own) clusters_[cluster].remote += bytes;
      if (had.at_memory) continue;
      regions_[region].all += bytes;
      if (region != own) regions_[region].remote += bytes;
    }
  }
}

RegionTraffic& RegionTraffic::operator+=(const RegionTraffic& other) {
  const auto add = [](std::vector<Bytes>& to, const std::vector<Bytes>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i].all += from[i].all, to[i].remote += from[i].remote;
  };
  add(clusters_, other.clusters_), add(regions_, other.regions_);
  return *this;
}

double RegionTraffic::slowest(const std::vector<Bytes>& moved, double bandwidth) const {
  const double link = peer_peak(plan_->hardware) / constants().remote_region_cost;
  double slowest = 0;
  for (const Bytes& bytes : moved) slowest = std::max({slowest, bytes.all / bandwidth, bytes.remote / link});
  return slowest;
}

double RegionTraffic::cycles() const {
  const Hardware& hardware = plan_->hardware;
  return std::max(slowest(clusters_, cluster_peak(hardware)),
                  slowest(regions_, dram_peak(hardware) / hardware.dram.regions));
}

}  // namespace tilewright
