// What one measurement of a search costs, on a reused session: a product of 256^3 as the planner tiles it, from the
// operator to its cost, and the parts that this time goes into.
#include <benchmark/benchmark.h>

#include <deque>
#include <systemc>

#include "planner/measure/measure.h"
#include "planner/passes/pass.h"
#include "planner/search/tiling/plan_network.h"
#include "planner/search/tiling/tiling_measurer.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/verify/verify.h"

namespace tilewright {
namespace {

constexpr const char* kChips[] = {"edge_single", "gemmini_8x8", "dual_cluster",
                                  "quad_smp",    "tpu_v4_like", "tpu_v3_core"};

// All sessions of a process are made before any of them runs.
Session& session(std::size_t chip) {
  static std::deque<Session> sessions;
  for (std::size_t i = sessions.size(); i < std::size(kChips); ++i)
    sessions.emplace_back(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/" + std::string(kChips[i]) + ".yaml"));
  return sessions[chip];
}

const TilingOperator& product() {
  static const TilingOperator op = tiling_operator({.dims = {1, 256, 256, 256}});
  return op;
}

void per_second(benchmark::State& state, const char* name, double each) {
  state.counters[name] =
      benchmark::Counter(each * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void measurement(benchmark::State& state, std::size_t chip) {
  Session& bench = session(chip);
  PointCost last = measure_point(bench, product(), {});
  const auto before = sc_core::sc_delta_count();
  for (auto _ : state) last = measure_point(bench, product(), {});
  per_second(state, "measurements/s", 1);
  state.counters["deltas/s"] =
      benchmark::Counter(static_cast<double>(sc_core::sc_delta_count() - before), benchmark::Counter::kIsRate);
  state.counters["cycles"] = static_cast<double>(last.cost->cycles);
}

void planning(benchmark::State& state, std::size_t chip) {
  const Hardware& hardware = session(chip).hardware();
  for (auto _ : state) benchmark::DoNotOptimize(make_plan(product().graph, hardware, {.type = product().type}));
}

// As `run` plans: with the choice of a tiling by the queue model.
void planning_as_run(benchmark::State& state, std::size_t chip) {
  const Hardware& hardware = session(chip).hardware();
  for (auto _ : state) benchmark::DoNotOptimize(plan_network(product().graph, hardware, {.type = product().type}));
}

void verifying(benchmark::State& state, std::size_t chip) {
  const Hardware& hardware = session(chip).hardware();
  const Plan plan = make_plan(product().graph, hardware, {.type = product().type});
  for (auto _ : state) verify(plan.program, hardware, plan.program.name);
}

void running(benchmark::State& state, std::size_t chip) {
  Session& bench = session(chip);
  const Plan plan = make_plan(product().graph, bench.hardware(), {.type = product().type});
  for (auto _ : state) benchmark::DoNotOptimize(bench.run(plan.program).time);
}

void add_benchmarks() {
  const auto add = [](const char* name, std::size_t chip, void (*run)(benchmark::State&, std::size_t)) {
    benchmark::RegisterBenchmark((std::string(name) + "/" + kChips[chip]).c_str(), run, chip)
        ->Unit(benchmark::kMillisecond);
  };
  for (std::size_t chip = 0; chip < std::size(kChips); ++chip) {
    add("measurement", chip, measurement);
    add("planning", chip, planning);
    add("planning_as_run", chip, planning_as_run);
    add("running", chip, running);
    add("verifying", chip, verifying);  // a part of running
  }
}

}  // namespace
}  // namespace tilewright

int sc_main(int argc, char** argv) {
  using namespace tilewright;
  benchmark::Initialize(&argc, argv);
  session(0);
  add_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
