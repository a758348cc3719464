// Programs measured per CPU second on one reused session, and the simulator's cost per byte of DRAM traffic.
#include <benchmark/benchmark.h>

#include <memory>
#include <systemc>

#include "sim/hw/config/read_hardware.h"
#include "sim/session.h"
#include "tests/support/gemm_program.h"

namespace tilewright {
namespace {

constexpr const char* kChip = TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_smp.yaml";

Hardware with_long_requests(Hardware hardware) {
  hardware.core.dma.request_bytes = hardware.dram.interleave_bytes = 512;
  return hardware;
}

// The same chip with an interconnect that only counts packets: what the rest of the simulator costs.
Hardware with_simple_network(Hardware hardware) {
  hardware.network.topology = Topology::kSimple;
  hardware.network.terminal_router.clear();
  hardware.network.links.clear();
  hardware.network.routers = 0;
  return hardware;
}

// All sessions of a process are made before any of them runs.
struct Sessions {
  Session routed{with_long_requests(load_hardware(kChip))};
  Session simple{with_simple_network(with_long_requests(load_hardware(kChip)))};
};

Session& session(bool simple = false) {
  static Sessions instances;
  return simple ? instances.simple : instances.routed;
}

void run_repeatedly(benchmark::State& state, const Program& program, const RunOptions& options, bool simple = false) {
  Picoseconds time = 0;
  Bytes traffic = 0;
  for (auto _ : state) {
    const RunResult result = session(simple).run(program, options);
    time = result.time;
    traffic =
        static_cast<Bytes>(result.statistics.at("memory.read_bytes") + result.statistics.at("memory.write_bytes"));
  }
  state.counters["simulated_us"] = static_cast<double>(time) / 1e6;
  state.counters["programs_per_s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["dram_bytes_per_s"] =
      benchmark::Counter(static_cast<double>(traffic * state.iterations()), benchmark::Counter::kIsRate);
}

void gemm_256(benchmark::State& state) {
  testing_support::GemmShape shape;
  shape.tile_m = shape.tile_n = state.range(0);
  run_repeatedly(state, testing_support::GemmProgram(session().hardware(), shape).make(), {});
}
BENCHMARK(gemm_256)->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

void gemm_256_simple_network(benchmark::State& state) {
  testing_support::GemmShape shape;
  shape.tile_m = shape.tile_n = state.range(0);
  run_repeatedly(state, testing_support::GemmProgram(session().hardware(), shape).make(), {}, true);
}
BENCHMARK(gemm_256_simple_network)->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

// 10 MB of DRAM traffic in requests of 512 bytes.
void ten_megabytes(benchmark::State& state) {
  const testing_support::GemmShape shape{3456, 256, 256, 64, 256};
  run_repeatedly(state, testing_support::GemmProgram(session().hardware(), shape).make(), {});
}
BENCHMARK(ten_megabytes)->Unit(benchmark::kMillisecond);

void gemm_256_with_values(benchmark::State& state) {
  RunOptions options;
  options.values = true;
  run_repeatedly(state, testing_support::GemmProgram(session().hardware(), {}).make(), options);
}
BENCHMARK(gemm_256_with_values)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright
