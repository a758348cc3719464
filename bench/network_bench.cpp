// Speed of the network model: packets delivered per CPU second.
#include <benchmark/benchmark.h>

#include <systemc>

#include "cli/validate/noc_traffic.h"

namespace {

using namespace tilewright;

void run(benchmark::State& state, const char* topology, double load, int flits) {
  NocTraffic traffic;
  traffic.packet_flits = flits;
  traffic.packets_per_cycle = load / flits;
  NocTrafficRun network(*noc_topology(topology, 1), traffic, 1);
  Cycles cycle = 2000;
  network.run_until(cycle);
  const std::int64_t before = network.arrived_packets();
  for (auto _ : state) network.run_until(cycle += 100);
  state.counters["packets/s"] =
      benchmark::Counter(static_cast<double>(network.arrived_packets() - before), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(run, mesh4x4_uniform_45_1flit, "mesh4x4", 0.45, 1);
BENCHMARK_CAPTURE(run, mesh4x4_uniform_45_5flits, "mesh4x4", 0.45, 5);
BENCHMARK_CAPTURE(run, mesh4x4_uniform_45_17flits, "mesh4x4", 0.45, 17);
BENCHMARK_CAPTURE(run, mesh8x8_uniform_25_1flit, "mesh8x8", 0.25, 1);
BENCHMARK_CAPTURE(run, mesh4x4_uniform_5_1flit, "mesh4x4", 0.05, 1);

}  // namespace

// libsystemc brings its own main.
int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
