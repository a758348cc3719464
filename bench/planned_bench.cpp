// What a run of the planner's programs costs on reused sessions (from operator to cost: measurement_bench.cpp).
#include <benchmark/benchmark.h>

#include <systemc>

#include "planner/measure/measure.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/support/gemm_program.h"

namespace tilewright {
namespace {

std::string chip_file(const std::string& name) { return TILEWRIGHT_SOURCE_DIR "/hw_configs/" + name + ".yaml"; }

Hardware with_clusters(int clusters) {
  HardwareConfig config = read_hardware(chip_file("quad_smp"));
  config.clusters = clusters;
  return resolve(config);
}

// All sessions of a process are made before any of them runs.
struct Sessions {
  Session quad{load_hardware(chip_file("quad_smp"))};
  Session tpu{load_hardware(chip_file("tpu_v4_like"))};
  Session one{with_clusters(1)}, four{with_clusters(4)}, sixteen{with_clusters(16)};
};

Sessions& sessions() {
  static Sessions instances;
  return instances;
}

Graph gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  Graph graph;
  graph.name = "gemm";
  const auto add = [&](const char* name, Shape shape, TensorKind kind) {
    return graph.add_tensor({.name = name, .shape = std::move(shape), .type = DataType::kBf16, .kind = kind});
  };
  const TensorId a = add("a", {m, k}, TensorKind::kInput), b = add("b", {k, n}, TensorKind::kConstant);
  const TensorId c = add("c", {m, n}, TensorKind::kOutput);
  graph.add_operator({.name = "gemm", .kind = OpKind::kMatMul, .inputs = {a, b}, .output = c});
  return graph;
}

void report(benchmark::State& state, const RunResult& last, sc_dt::uint64 deltas) {
  const auto per_second = [&](double each) {
    return benchmark::Counter(each * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  };
  const Statistics& s = last.statistics;
  const double requests = s.at("memory.reads") + s.at("memory.writes");
  state.counters["measurements/s"] = per_second(1);
  state.counters["dram_bytes/s"] = per_second(s.at("memory.read_bytes") + s.at("memory.write_bytes"));
  state.counters["dram_requests/s"] = per_second(requests);
  state.counters["packets/s"] = per_second(s.at("network.packets"));
  state.counters["deltas/s"] = benchmark::Counter(static_cast<double>(deltas), benchmark::Counter::kIsRate);
  state.counters["deltas/request"] = static_cast<double>(deltas) / static_cast<double>(state.iterations()) / requests;
}

void run(benchmark::State& state, Session& session, const Program& program) {
  RunResult result = session.run(program);
  const auto before = sc_core::sc_delta_count();
  for (auto _ : state) result = session.run(program);
  report(state, result, sc_core::sc_delta_count() - before);
}

// The program is the planner's and made once: verification and simulation are measured.
void planned(benchmark::State& state, Session Sessions::*session, std::int64_t m, std::int64_t n, std::int64_t k) {
  Session& chip = sessions().*session;
  const Plan plan = make_plan(gemm(m, n, k), chip.hardware(), {.type = DataType::kBf16});
  run(state, chip, plan.program);
}
BENCHMARK_CAPTURE(planned, gemm_256_quad_smp, &Sessions::quad, 256, 256, 256)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planned, gemm_256_tpu_v4_like, &Sessions::tpu, 256, 256, 256)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planned, gemm_1024_tpu_v4_like, &Sessions::tpu, 1024, 1024, 1024)->Unit(benchmark::kMillisecond);
// Twice and four times the rows of the one before: time grows with bytes and tiles.
BENCHMARK_CAPTURE(planned, gemm_2048x1024x1024_tpu_v4_like, &Sessions::tpu, 2048, 1024, 1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planned, gemm_4096x1024x1024_tpu_v4_like, &Sessions::tpu, 4096, 1024, 1024)
    ->Unit(benchmark::kMillisecond);

// The same work on one core of a chip with 1, 4 and 16 clusters of four: what idle modules cost.
void one_core_busy(benchmark::State& state, Session Sessions::*session) {
  Session& chip = sessions().*session;
  run(state, chip, testing_support::GemmProgram(chip.hardware(), {1024, 256, 256, 64, 64}).make());
}
BENCHMARK_CAPTURE(one_core_busy, of_4_cores, &Sessions::one)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core_busy, of_16_cores, &Sessions::four)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_core_busy, of_64_cores, &Sessions::sixteen)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright

int sc_main(int argc, char** argv) {
  using namespace tilewright;
  benchmark::Initialize(&argc, argv);
  sessions();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
