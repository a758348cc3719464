// Random products on random chips of several cores that hand operands on, others behind them: every program is legal,
// ends, and computes the right values.
#pragma once

#include <algorithm>

#include "planner/ir/hand_on.h"
#include "planner/passes/tile/tiling_choice.h"
#include "tests/property/random_chips.h"
#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomHandOns : public RandomPlans {
 public:
  RandomHandOns(std::uint64_t seed, int chips) : RandomPlans(seed, of_several_cores(seed, chips)) {}

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_products(*sessions_[i % sessions_.size()]);
    EXPECT_GT(4 * planned_, cases - 16);
  }

 private:
  static std::vector<Hardware> of_several_cores(std::uint64_t seed, int count) {
    RandomChips random(seed, Variety::kAlike);
    std::vector<Hardware> chips;
    while (std::ssize(chips) < count)
      if (Hardware chip = random.next(); chip.cores() > 1) chips.push_back(std::move(chip));
    return chips;
  }

  // Of `cores`, in rows and columns.
  TilingPoint random_grid(int cores) {
    const auto rows = between(1, cores);
    return {.parts_m = rows, .parts_n = between(rows == 1 ? 2 : 1, cores / rows)};
  }

  // x -> product -> rows, computed element by element or row by row -> last.
  Graph random_products(const TilingPoint& grid) {
    Graph graph;
    const std::int64_t m = grid.parts_m * between(1, 12), n = grid.parts_n * between(1, 24), k = between(2, 200);
    const bool transposed = between(0, 1) == 0;
    const TensorId a = add(graph, "a", {m, k}, TensorKind::kInput);
    const TensorId b =
        add(graph, "b", transposed ? Shape{n, k} : Shape{k, n}, one_of({TensorKind::kInput, TensorKind::kConstant}));
    TensorId rows = product(graph, {a, b}, {.transpose_b = transposed}, TensorKind::kHidden);
    if (between(0, 1) == 0)
      rows = behind(graph, OpKind::kAdd, {rows, add(graph, "bias", {n}, TensorKind::kConstant)}, TensorKind::kHidden);
    rows = behind(graph, one_of({OpKind::kSoftmax, OpKind::kNeg}), {rows}, TensorKind::kHidden);
    product(graph, {rows, add(graph, "w", {n, between(1, 40)}, TensorKind::kConstant)}, {}, TensorKind::kOutput);
    return graph;
  }

  TensorId product(Graph& graph, std::vector<TensorId> inputs, Attributes attributes, TensorKind kind) {
    Operator op{.name = fmt::format("product{}", graph.operators().size()), .kind = OpKind::kMatMul};
    op.inputs = std::move(inputs), op.attributes = std::move(attributes);
    const TensorId made = op.output = add(graph, (op.name + ".out").c_str(), infer_shape(graph, op), kind);
    graph.add_operator(std::move(op));
    return made;
  }

  void choose(const Graph& graph, TilingPoint point, const Hardware& hardware, PlanOptions& options) {
    const Plan typed = typed_plan(make_plan(graph, hardware, options, {.stop_after = "fuse"}).graph, hardware, options);
    const Operator& op = typed.graph.op(0);
    const GemmShape part = make_contraction(typed, op, split_of(point, typed, op).items.front())->shape();
    point.partition_m = between(1, part.m), point.partition_n = between(1, part.n);
    point.partition_k = between(1, std::max<std::int64_t>(1, part.k - 1));
    point.tile_m = between(1, point.partition_m), point.tile_n = between(1, point.partition_n);
    point.outer_rowmajor = between(0, 1), point.inner_rowmajor = between(0, 1), point.a_stationary = between(0, 1);
    OperatorChoice choice = choice_of(point, typed, 0);
    const auto which = between(1, 3);
    for (Tiling& tiling : choice.tilings) tiling.hand_on_a = which & 1, tiling.hand_on_b = which & 2;
    options.choices = {choice};
  }

  void run_products(Session& session) {
    const Hardware& hardware = session.hardware();
    PlanOptions options{.type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32})};
    options.early_loads = one_of({EarlyLoads::kNone, EarlyLoads::kAlways});
    options.overlap_operators = between(0, 3) > 0;
    options.group = Grouping::kNone;
    const TilingPoint grid = random_grid(hardware.cores());
    const Graph graph = random_products(grid);
    SCOPED_TRACE(describe(graph, options.type, hardware));
    choose(graph, grid, hardware, options);
    const std::optional<Plan> plan = planned(graph, hardware, options);
    if (!plan) return;
    ++planned_;
    EXPECT_TRUE(hands_on(plan->operators[0]));
    expect_values(session, *plan);
  }
};

}  // namespace tilewright::test
