// What a prediction by the queue model costs beside the simulation it stands for, on the programs of whole networks:
// CPU time of both, their ratio in the counter `of_simulation`, and prediction over measurement in `error`.
#include <benchmark/benchmark.h>

#include <ctime>
#include <systemc>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/import/import.h"
#include "planner/passes/pass.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/session.h"

namespace tilewright {
namespace {

struct Case {
  Case(const std::string& chip, const std::string& network)
      : hardware(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/" + chip + ".yaml")),
        plan(make_plan(import_workload(TILEWRIGHT_SOURCE_DIR "/traces/" + network), hardware, {})),
        session(hardware) {}
  Hardware hardware;
  Plan plan;
  Session session;
};

// All sessions of a process are made before any of them runs.
Case& case_of(int index) {
  static Case cases[] = {{"quad_smp", "two_blocks.yaml"},
                         {"quad_smp_cache", "two_blocks.yaml"},
                         {"quad_numa", "two_tower.onnx"},
                         {"dual_cluster", "decoder_layer.onnx"}};
  return cases[index];
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void queue_model(benchmark::State& state) {
  Case& one = case_of(static_cast<int>(state.range(0)));
  double predicting = 0, simulating = 0, predicted = 0, simulated = 0;
  for (auto _ : state) {
    const double start = cpu_seconds();
    predicted = queue_model_cycles(one.hardware, one.plan.program);
    const double middle = cpu_seconds();
    simulated = static_cast<double>(one.session.run(one.plan.program).time) /
                static_cast<double>(one.hardware.core_clock.period_ps);
    predicting += middle - start;
    simulating += cpu_seconds() - middle;
  }
  state.counters["of_simulation"] = predicting / simulating;
  state.counters["error"] = predicted / simulated - 1;
}
BENCHMARK(queue_model)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright
