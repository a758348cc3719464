// Random products on random small chips, of whose rows maxima, sums or means are taken. Every program is legal, ends,
// and computes the right values.
#pragma once

#include <algorithm>

#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomRowReductions : public RandomPlans {
 public:
  using RandomPlans::RandomPlans;

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_product(*sessions_[i % sessions_.size()]);
    EXPECT_GT(2 * planned_, cases - 16);
    EXPECT_GT(6 * following_, planned_ - 32) << "hardly any reduction is made where its rows are";
  }

 private:
  Graph random_product() {
    Graph graph;
    const Shape batch = between(0, 1) == 0 ? Shape{} : Shape{between(1, 9)};
    const std::int64_t m = random_size(120), k = random_size(300), n = between(2, 90);
    const auto matrix = [&](std::int64_t rows, std::int64_t columns) {
      Shape shape = batch;
      shape.insert(shape.end(), {rows, columns});
      return shape;
    };
    Operator op{.name = "product", .kind = OpKind::kMatMul};
    op.inputs = {add(graph, "a", matrix(m, k), TensorKind::kInput), add(graph, "b", matrix(k, n), TensorKind::kInput)};
    TensorId rows = op.output = add(graph, "rows", matrix(m, n), TensorKind::kHidden);
    graph.add_operator(std::move(op));
    if (between(0, 1) == 0)
      rows = behind(graph, OpKind::kAdd, {rows, add(graph, "bias", {n}, TensorKind::kConstant)}, TensorKind::kHidden);
    for (std::int64_t i = between(1, 2); i > 0; --i) reduce(graph, rows);
    behind(graph, OpKind::kNeg, {rows}, TensorKind::kOutput);
    return graph;
  }

  void reduce(Graph& graph, TensorId rows) {
    Operator op{.name = fmt::format("reduced{}", graph.operators().size()), .inputs = {rows}};
    op.kind = one_of({OpKind::kReduceMax, OpKind::kReduceSum, OpKind::kReduceMean});
    op.attributes.axes = {std::ssize(graph.tensor(rows).shape) - 1}, op.attributes.keepdims = true;
    op.output = add(graph, (op.name + ".out").c_str(), infer_shape(graph, op), TensorKind::kOutput);
    graph.add_operator(std::move(op));
  }

  void run_product(Session& session) {
    const DataType type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32});
    const Graph graph = random_product();
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    PlanOptions options{.type = type};
    options.early_loads = one_of({EarlyLoads::kNone, EarlyLoads::kAlways});
    options.cores = static_cast<int>(one_of<std::int64_t>({0, 1, between(1, session.hardware().cores())}));
    const std::optional<Plan> plan = planned(graph, session.hardware(), options);
    if (!plan) return;
    ++planned_;
    expect_values(session, *plan);
    following_ += std::ranges::any_of(plan->operators, [](const OperatorPlan& op) { return op.leader >= 0; });
  }

  int following_ = 0;
};

}  // namespace tilewright::test
