#include "sim/model/core/cluster.h"

namespace tilewright {

Cluster::Cluster(sc_core::sc_module_name name, const Hardware& hardware, int number, MemoryPath& memory, SyncHub& hub,
                 RunRecord& record, FirstFault& faults)
    : ChipModule(name, "cluster") {
  if (hardware.cluster_memory) {
    const ModuleLabel label{"cluster_cache", "cluster" + std::to_string(number)};
    cache_ = std::make_unique<Shell<ClusterCache>>("cache", label, faults, hardware, number, memory, record.meter);
    hub.listen(cache_->part());
  }
  ClusterCache* cache = cache_ ? &cache_->part() : nullptr;
  for (int i = 0; i < hardware.cores_per_cluster; ++i) {
    const int core = number * hardware.cores_per_cluster + i;
    const std::string core_name = "core" + std::to_string(core);
    cores_.push_back(std::make_unique<Core>(core_name.c_str(), hardware, core, memory, cache, hub, record, faults));
  }
}

}  // namespace tilewright
