#include "planner/estimate/idle_latency.h"

namespace tilewright {

double idle_latency(const Hardware& hardware) {
  const DramSpec& dram = hardware.dram;
  const NetworkSpec& network = hardware.network;
  const int column = dram.timing.RCDRD + dram.timing.CL + dram.timing.burst;
  const auto memory = static_cast<double>((dram.controller_clocks + column) * dram.clock.period_ps);
  const int router = network.router.pipeline_cycles() + 2 * network.router.terminal_cycles;
  const auto routers = static_cast<double>(2 * router * network.clock.period_ps);
  return static_cast<double>(hardware.core.dma.setup_cycles) +
         (memory + routers) / static_cast<double>(hardware.core_clock.period_ps);
}

}  // namespace tilewright
