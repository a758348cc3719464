// A cluster as a module: its cores and, where they share one, their cluster memory.
#pragma once

#include <memory>
#include <vector>

#include "sim/model/core/core.h"

namespace tilewright {

class Cluster : public ChipModule {
 public:
  Cluster(sc_core::sc_module_name name, const Hardware& hardware, int number, MemoryPath& memory, SyncHub& hub,
          RunRecord& record, FirstFault& faults);

  // nullptr on a bus cluster.
  Shell<ClusterCache>* cache() { return cache_.get(); }
  const Shell<ClusterCache>* cache() const { return cache_.get(); }
  // Named by their number on the chip.
  const std::vector<std::unique_ptr<Core>>& cores() const { return cores_; }

 private:
  std::unique_ptr<Shell<ClusterCache>> cache_;
  std::vector<std::unique_ptr<Core>> cores_;
};

}  // namespace tilewright
