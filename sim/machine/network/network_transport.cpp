#include "sim/machine/network/network_transport.h"

#include "sim/machine/network/network_core.h"
#include "sim/machine/network/network_simple.h"

namespace tilewright {

std::unique_ptr<NetworkTransport> make_transport(const NetworkSpec& spec, VcSharing sharing) {
  if (spec.topology == Topology::kSimple) return std::make_unique<NetworkSimple>(spec);
  return std::make_unique<NetworkCore>(spec, sharing);
}

}  // namespace tilewright
