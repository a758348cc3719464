// A router's place in the hierarchy, with what it says of itself. It has no process: NetworkModule activates all
// routers together.
#pragma once

#include <string>

#include "sim/machine/network/network_transport.h"
#include "sim/model/kernel/chip_module.h"
#include "sim/model/kernel/kernel_time.h"

namespace tilewright {

class RouterModule : public ChipModule {
 public:
  // `transport` outlives this.
  RouterModule(sc_core::sc_module_name name, const NetworkTransport& transport, Clock clock, int number)
      : ChipModule(name, "router"), transport_(transport), clock_(clock), number_(number) {}

  void add_statistics(const RunSpan& run, Statistics& statistics) override {
    transport_.add_router_statistics(number_, "network.router" + std::to_string(number_), statistics,
                                     clock_.floor(kernel_now() - run.launch));
  }
  void add_probes(Probes& probes) const override {
    probes.push_back({"groups", 16, [this] { return static_cast<std::uint64_t>(transport_.held_groups(number_)); }});
  }

 private:
  const NetworkTransport& transport_;
  const Clock clock_;
  const int number_;
};

}  // namespace tilewright
