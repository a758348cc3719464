// By which port of its cluster a request enters the network (NetworkSpec::request_port).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/hw/config/network_spec.h"

namespace tilewright {

class LeavingPorts {
 public:
  LeavingPorts() = default;
  explicit LeavingPorts(const NetworkSpec& network) : turns_(network.clusters, 0) {}

  // The terminal of the next request of a cluster. `partner`: that of its answer.
  int next(const NetworkSpec& network, int cluster, int partner) {
    if (network.request_port == RequestPort::kPartner) return partner;
    return network.port_towards(cluster, static_cast<int>(turns_[cluster]++ % network.ports_per_cluster));
  }

 private:
  std::vector<std::int64_t> turns_;  // by cluster: its requests so far
};

}  // namespace tilewright
