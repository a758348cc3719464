// Random products whose results are reshaped, transposed and reshaped again before other products read them, on random
// small chips: every program is legal, ends, and computes the right values, whether a transpose is moved or not.
#pragma once

#include <algorithm>
#include <numeric>

#include "planner/ir/in_place.h"
#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomTransposes : public RandomPlans {
 public:
  using RandomPlans::RandomPlans;

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_graph(*sessions_[i % sessions_.size()]);
    EXPECT_GT(8 * in_place_, cases);
  }

 private:
  TensorId reshape(Graph& graph, TensorId from, const Shape& shape) {
    const std::string name = fmt::format("view{}", graph.operators().size());
    const TensorId out = add(graph, (name + ".out").c_str(), shape, TensorKind::kHidden);
    graph.add_operator({.name = name, .kind = OpKind::kReshape, .inputs = {from}, .output = out});
    return out;
  }

  TensorId product(Graph& graph, TensorId rows, std::int64_t width, TensorKind kept) {
    const std::string name = fmt::format("product{}", graph.operators().size());
    const TensorId w =
        add(graph, (name + ".w").c_str(), {graph.tensor(rows).shape.back(), width}, TensorKind::kConstant);
    Operator op{.name = name, .kind = OpKind::kMatMul, .inputs = {rows, w}};
    op.output = add(graph, (name + ".out").c_str(), infer_shape(graph, op), kept);
    const TensorId out = op.output;
    graph.add_operator(std::move(op));
    return out;
  }

  TensorId transpose(Graph& graph, TensorId from, TensorKind kept) {
    Operator op{.name = fmt::format("turn{}", graph.operators().size()), .kind = OpKind::kTranspose, .inputs = {from}};
    std::vector<std::int64_t>& order = op.attributes.permutation;
    order.resize(graph.tensor(from).shape.size());
    std::iota(order.begin(), order.end(), 0);
    const bool keeps_last = between(0, 4) > 0;
    std::shuffle(order.begin(), order.end() - (keeps_last ? 1 : 0), random_);
    op.output = add(graph, (op.name + ".out").c_str(), infer_shape(graph, op), kept);
    const TensorId out = op.output;
    graph.add_operator(std::move(op));
    return out;
  }

  // Neighbouring dimensions as one, here and there.
  Shape merged(const Shape& shape) {
    Shape result;
    for (const std::int64_t size : shape)
      if (!result.empty() && between(0, 1) == 0)
        result.back() *= size;
      else
        result.push_back(size);
    if (result.size() == 1) result.insert(result.begin(), 1);
    return result;
  }

  // Of int8 networks only products can be computed, and not of their results.
  Graph random_graph(bool only_one_product) {
    Graph graph;
    const std::int64_t outer = between(1, 3), tokens = random_size(40), heads = between(1, 6);
    const std::int64_t width = one_of<std::int64_t>({16, 32, 32, 64, between(1, 70)});
    const TensorId x = add(graph, "x", {outer, tokens, random_size(60)}, TensorKind::kInput);
    TensorId at = product(graph, x, heads * width, TensorKind::kHidden);
    if (!only_one_product && between(0, 2) == 0) at = behind(graph, OpKind::kTanh, {at}, TensorKind::kHidden);
    const TensorId written = at;
    if (between(0, 2) > 0)
      at = reshape(graph, at, {outer, tokens, heads, width});
    else if (between(0, 1) == 0)
      at = reshape(graph, at, {outer * tokens, heads, 1, width});
    const bool last = only_one_product || between(0, 4) == 0;
    at = transpose(graph, at, last ? TensorKind::kOutput : TensorKind::kHidden);
    if (!only_one_product && between(0, 6) == 0) behind(graph, OpKind::kRelu, {written}, TensorKind::kOutput);
    if (last) return graph;
    if (between(0, 1) == 0) at = reshape(graph, at, merged(graph.tensor(at).shape));
    if (between(0, 4) == 0) at = transpose(graph, at, TensorKind::kHidden);
    product(graph, at, random_size(50), TensorKind::kOutput);
    return graph;
  }

  void run_graph(Session& session) {
    const DataType type = random_type();
    const Graph graph = random_graph(type == DataType::kInt8);
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    PlanOptions options = random_options(session.hardware(), type);
    options.share_memory = between(0, 3) == 0;
    const std::optional<Plan> plan = planned(graph, session.hardware(), options);
    if (!plan) return;
    for (const Operator& op : plan->graph.operators()) in_place_ += transposes_in_place(*plan, op) ? 1 : 0;
    expect_values(session, *plan);
  }

  int in_place_ = 0;
};

}  // namespace tilewright::test
