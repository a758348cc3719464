// Random chains of products with softmax, scales, masks and activations behind them, some of which begin with two
// products side by side, computed together on random small chips: every program is legal, ends, and computes the right
// values.
#pragma once

#include "planner/emit/chain/chain.h"
#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomChains : public RandomPlans {
 public:
  using RandomPlans::RandomPlans;

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_chain(*sessions_[i % sessions_.size()]);
    EXPECT_GT(8 * formed_, cases);
  }

 private:
  // Names of the operators of the chain, as fused.
  std::vector<std::string> names_;

  TensorId product(Graph& graph, TensorId rows, const Shape& batch, std::int64_t depth, std::int64_t width,
                   TensorKind kept) {
    const bool transposed = between(0, 2) == 0;
    Shape b = between(0, 2) == 0 ? Shape{} : batch;
    b.push_back(transposed ? width : depth);
    b.push_back(transposed ? depth : width);
    const std::string name = fmt::format("p{}", names_.size());
    const TensorId weights = add(graph, (name + ".w").c_str(), b, one_of({TensorKind::kInput, TensorKind::kConstant}));
    Operator op{.name = name, .kind = OpKind::kMatMul, .inputs = {rows, weights}};
    op.attributes.transpose_b = transposed;
    op.output = add(graph, (name + ".out").c_str(), infer_shape(graph, op), kept);
    const TensorId out = op.output;
    graph.add_operator(std::move(op));
    names_.push_back(name);
    return out;
  }

  // Two products of the same rows, the first behind an activation, combined.
  TensorId side_by_side(Graph& graph, TensorId rows, const Shape& batch, std::int64_t depth, std::int64_t width,
                        TensorKind kept) {
    TensorId beside = product(graph, rows, batch, depth, width, TensorKind::kHidden);
    if (between(0, 2) > 0)
      beside = behind(graph, one_of({OpKind::kSilu, OpKind::kRelu}), {beside}, TensorKind::kHidden);
    const TensorId result = product(graph, rows, batch, depth, width, TensorKind::kHidden);
    return behind(graph, one_of({OpKind::kMul, OpKind::kAdd}), {beside, result}, kept);
  }

  TensorId known(Graph& graph, const std::string& name, const Shape& result) {
    const std::int64_t rows = result[result.size() - 2], columns = result.back();
    const double above = one_of({-1e30, -std::numeric_limits<double>::infinity(), 1.0});
    std::vector<double> values;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column) values.push_back(column > row ? above : 0);
    return graph.add_tensor({.name = name, .shape = {rows, columns}, .kind = TensorKind::kConstant, .data = values});
  }

  // What may stand behind a product, and a softmax, whose result is kept so.
  TensorId behind_product(Graph& graph, TensorId result, bool softmax, TensorKind kept) {
    const Shape shape = graph.tensor(result).shape;
    const std::string name = fmt::format("mask{}", names_.size());
    if (between(0, 2) == 0) result = behind(graph, OpKind::kRelu, {result}, TensorKind::kHidden);
    if (between(0, 2) == 0)
      result = behind(graph, OpKind::kAdd, {result, add(graph, (name + ".x").c_str(), shape, TensorKind::kInput)},
                      TensorKind::kHidden);
    if (softmax && between(0, 1) == 0)
      result = behind(graph, OpKind::kAdd, {result, known(graph, name, shape)}, TensorKind::kHidden);
    if (!softmax) return result;
    const std::string at = fmt::format("softmax{}", names_.size());
    const TensorId out = add(graph, (at + ".out").c_str(), shape, kept);
    graph.add_operator({.name = at,
                        .kind = OpKind::kSoftmax,
                        .inputs = {result},
                        .output = out,
                        .attributes = {.axis = std::ssize(shape) - 1}});
    names_.push_back(at);
    return out;
  }

  Graph random_chain() {
    Graph graph;
    names_.clear();
    Shape batch;
    if (between(0, 2) > 0) batch.push_back(between(1, 5));
    Shape shape = batch;
    std::int64_t depth = random_size(70);
    shape.push_back(random_size(100));
    shape.push_back(depth);
    TensorId rows = add(graph, "rows", shape, TensorKind::kInput);
    const std::int64_t products = one_of<std::int64_t>({1, 2, 2, 2, 3, 4});
    const bool shares = products == 1 || between(0, 2) == 0;  // the result of the last one as a softmax
    for (std::int64_t i = 0; i < products; ++i) {
      const std::int64_t width = random_size(i == 0 ? 300 : 70);
      const TensorKind kept = i + 1 == products ? TensorKind::kOutput : TensorKind::kHidden;
      const bool softmax = kept == TensorKind::kOutput ? shares : between(0, 1) == 0;
      const TensorKind of_product = softmax ? TensorKind::kHidden : kept;
      const bool two = i == 0 && between(0, 3) == 0;
      rows = two ? side_by_side(graph, rows, batch, depth, width, of_product)
                 : product(graph, rows, batch, depth, width, of_product);
      if (softmax || kept == TensorKind::kHidden) rows = behind_product(graph, rows, softmax, kept);
      depth = width;
    }
    return graph;
  }

  void run_chain(Session& session) {
    const DataType type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32});
    const Graph graph = random_chain();
    const std::optional<Plan> plan = run_together(session, graph, names_, type);
    formed_ += plan && !plan->groups.empty() ? 1 : 0;
  }

  int formed_ = 0;
};

}  // namespace tilewright::test
