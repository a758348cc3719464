// How many points of a tiling space are bounded in a second: what the search does before it measures anything.
#include <benchmark/benchmark.h>

#include "planner/search/tiling/tiling_scan.h"
#include "planner/search/tiling/tiling_search.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

TilingProblem problem_of(const char* chip, const OperatorShape& shape) {
  const Hardware hardware = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR "/hw_configs/") + chip + ".yaml");
  return tiling_problem(tiled_plan(tiling_operator(shape), hardware, {}), 0);
}

void per_second(benchmark::State& state, const char* name, double each) {
  state.counters[name] =
      benchmark::Counter(each * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// The whole space: numbering, filters and the bounds of what they leave.
void scan_space(benchmark::State& state, const char* chip, const OperatorShape& shape) {
  const TilingProblem problem = problem_of(chip, shape);
  const TilingSpace space(problem);
  TilingScan found;
  for (auto _ : state) found = scan(space, problem, Objective::kCycles, 1e18, 1000);
  per_second(state, "points/s", static_cast<double>(space.size()));
  per_second(state, "bounds/s", static_cast<double>(found.bounds));
}

// Nothing but bounds, one for every legal point.
void bounds(benchmark::State& state, const char* chip, const OperatorShape& shape) {
  const TilingProblem problem = problem_of(chip, shape);
  const TilingSpace space(problem);
  std::vector<TilingPoint> points;
  for (const TilingCandidate& c : scan(space, problem, Objective::kCycles, 1e18, 10000).candidates)
    points.push_back(space.point(c.number));
  for (auto _ : state)
    for (const TilingPoint& point : points) benchmark::DoNotOptimize(tiling_bound(problem, point).cycles);
  per_second(state, "bounds/s", static_cast<double>(points.size()));
}

const OperatorShape kGemm{.dims = {1, 384, 1024, 1024}};
const OperatorShape kConv{.kind = OperatorShape::Kind::kConv, .dims = {1, 56, 56, 64, 64, 3, 3, 1}};

BENCHMARK_CAPTURE(scan_space, gemm_quad_smp, "quad_smp", kGemm)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scan_space, conv_quad_smp, "quad_smp", kConv)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(scan_space, conv_tpu_v4_like, "tpu_v4_like", kConv)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bounds, gemm_quad_smp, "quad_smp", kGemm)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bounds, conv_quad_smp, "quad_smp", kConv)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bounds, gemm_tpu_v4_like, "tpu_v4_like", kGemm)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bounds, conv_tpu_v4_like, "tpu_v4_like", kConv)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tilewright
