// Random products and convolutions whose sums are more than the accumulate buffer holds, on random chips: every program
// is legal, ends, and computes the right values.
#pragma once

#include <algorithm>

#include "planner/estimate/tiling_time.h"
#include "planner/ir/spill.h"
#include "planner/passes/tile/tiling_choice.h"
#include "tests/property/random_chips.h"
#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomSpills : public RandomPlans {
 public:
  RandomSpills(std::uint64_t seed, int chips) : RandomPlans(seed, with_small_accumulators(seed, chips)) {}

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_spilled(*sessions_[i % sessions_.size()], i % 3 == 2);
    EXPECT_GT(4 * planned_, cases - 16) << "hardly any had sums in the input buffers";
  }

 private:
  static std::vector<Hardware> with_small_accumulators(std::uint64_t seed, int count) {
    RandomChips random(seed, Variety::kAlike);
    RandomDraws draws(seed);
    std::vector<Hardware> chips;
    while (std::ssize(chips) < count) {
      chips.push_back(random.next());
      chips.back().core.accumulator = draws.between(1, 32) * 64;
    }
    return chips;
  }

  // A few ways of cutting the result and its sum; nothing where none of them has sums in the input buffers.
  std::optional<OperatorChoice> spilled(const Plan& typed) {
    const Operator& op = typed.graph.op(0);
    const TilingProblem problem = tiling_problem(typed, 0);
    const std::int64_t kernel = problem.whole.conv ? problem.whole.conv->kernel() : 1;
    for (int i = 0; i < 40; ++i) {
      TilingPoint point{.parts_m = between(1, std::min<std::int64_t>(problem.m_parts, std::min(problem.cores, 2)))};
      const GemmShape part = make_contraction(typed, op, split_of(point, typed, op).items.front())->shape();
      point.partition_m = between(1, part.m), point.partition_n = between(1, part.n);
      point.partition_k = between(1, std::max<std::int64_t>(1, part.k / kernel - 1)) * kernel;
      point.tile_m = between(1, point.partition_m), point.tile_n = between(1, point.partition_n);
      point.outer_rowmajor = between(0, 1), point.inner_rowmajor = between(0, 1), point.a_stationary = between(0, 1);
      const OperatorChoice choice = choice_of(point, typed, 0);
      if (spills(typed, choice)) return choice;
    }
    return std::nullopt;
  }

  static bool spills(const Plan& typed, const OperatorChoice& choice) {
    bool any = false;
    for (std::size_t i = 0; i < choice.tilings.size(); ++i) {
      const auto part = make_contraction(typed, typed.graph.op(0), choice.split.items[i]);
      const TilingLimits limits = tiling_limits(typed, typed.graph.op(0), *part);
      if (!check_tiling(choice.tilings[i], part->shape(), limits).empty()) return false;
      any |= spill_of(choice.tilings[i], part->shape(), limits).has_value();
    }
    return any;
  }

  void run_spilled(Session& session, bool conv) {
    const Hardware& hardware = session.hardware();
    PlanOptions options{.type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32})};
    options.group = one_of({Grouping::kAuto, Grouping::kNone});
    options.groups.emplace();
    options.early_loads = one_of({EarlyLoads::kNone, EarlyLoads::kAlways});
    const Graph graph = conv ? random_conv(between(0, 1) == 0) : random_matmul(between(0, 1) == 0);
    SCOPED_TRACE(describe(graph, options.type, hardware));
    const Plan fused = make_plan(graph, hardware, options, {.stop_after = "fuse"});
    const auto choice = spilled(typed_plan(fused.graph, hardware, options));
    if (!choice) return;
    options.choices = {*choice};
    const std::optional<Plan> plan = planned(graph, hardware, options);
    if (!plan) return;
    ++planned_;
    expect_values(session, *plan);
  }
};

}  // namespace tilewright::test
