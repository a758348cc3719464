// Random blocks of convolutions or products of which each reads a concatenation of several results and inputs before
// it, some through a pool, a softmax or an element-wise operator, with renamings among them: whether joined in place,
// read in parts or moved, every program is legal, ends, and computes the right values.
#pragma once

#include "planner/graph/graph_edit.h"
#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomConcats : public RandomPlans {
 public:
  using RandomPlans::RandomPlans;

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_block(*sessions_[i % sessions_.size()]);
    EXPECT_GT(2 * parted_, cases);
  }

 private:
  // Two to four of what is there, each once.
  TensorId join(Graph& graph, std::vector<TensorId> parts, int number) {
    for (std::int64_t i = std::ssize(parts) - 1; i > 0; --i) std::swap(parts[i], parts[between(0, i)]);
    parts.resize(static_cast<std::size_t>(std::min<std::int64_t>(std::ssize(parts), between(2, 4))));
    Operator op{.name = fmt::format("join{}", number), .kind = OpKind::kConcat, .inputs = std::move(parts)};
    op.attributes.axis = 1;
    op.output = add(graph, (op.name + ".out").c_str(), infer_shape(graph, op), TensorKind::kHidden);
    const TensorId out = op.output;
    graph.add_operator(std::move(op));
    return out;
  }

  // Of the same rows and columns, images or matrices.
  TensorId contraction(Graph& graph, TensorId input, int number, TensorKind kind) {
    const Shape x = graph.tensor(input).shape;
    const bool images = x.size() == 4;
    const std::int64_t wide = random_size(40), window = images ? one_of<std::int64_t>({1, 3}) : 1;
    Operator op{.name = fmt::format("c{}", number), .kind = images ? OpKind::kConv : OpKind::kMatMul};
    if (images) op.attributes.pads = {window / 2, window / 2, window / 2, window / 2};
    const Shape weights = images ? Shape{wide, x[1], window, window} : Shape{x[1], wide};
    op.inputs = {input, add(graph, (op.name + ".w").c_str(), weights, TensorKind::kConstant)};
    op.output = add(graph, (op.name + ".out").c_str(), infer_shape(graph, op), kind);
    const TensorId out = op.output;
    graph.add_operator(std::move(op));
    return out;
  }

  // What else may read a concatenation.
  TensorId through(Graph& graph, TensorId input, int number) {
    const bool images = graph.tensor(input).shape.size() == 4;
    Operator op{.name = fmt::format("p{}", number),
                .kind = images ? one_of({OpKind::kRelu, OpKind::kMaxPool}) : one_of({OpKind::kTanh, OpKind::kSoftmax}),
                .inputs = {input}};
    op.attributes.axis = 1;
    if (op.kind == OpKind::kMaxPool)
      op.attributes.window = {3, 3}, op.attributes.strides = {1, 1}, op.attributes.pads = {1, 1, 1, 1};
    op.output = add(graph, (op.name + ".out").c_str(), infer_shape(graph, op), TensorKind::kHidden);
    const TensorId out = op.output;
    graph.add_operator(std::move(op));
    return out;
  }

  // Seen as one row more and back: two renamings.
  TensorId renamed(Graph& graph, TensorId input, int number) {
    const Shape shape = graph.tensor(input).shape;
    Shape other{1};
    other.insert(other.end(), shape.begin(), shape.end());
    for (const Shape& seen : {other, shape}) {
      const std::string name = fmt::format("view{}.{}", number, seen.size());
      const TensorId out = add(graph, name.c_str(), seen, TensorKind::kHidden);
      graph.add_operator({.name = name, .kind = OpKind::kReshape, .inputs = {input}, .output = out});
      input = out;
    }
    return input;
  }

  Graph random_block() {
    Graph graph;
    const bool images = between(0, 1) == 0;
    const auto shape = [&] {
      return images ? Shape{images_, between(1, 24), rows_, columns_} : Shape{rows_ * columns_, random_size(60)};
    };
    rows_ = between(5, 12), columns_ = between(5, 12), images_ = between(1, 2);
    std::vector<TensorId> there{add(graph, "x", shape(), TensorKind::kInput)};
    if (between(0, 1) == 0) there.push_back(add(graph, "y", shape(), TensorKind::kInput));
    const int steps = static_cast<int>(between(2, 4));
    for (int i = 0; i < steps; ++i) {
      const TensorId read = there.size() > 1 ? join(graph, there, i) : there[0];
      const TensorKind kind = i + 1 == steps ? TensorKind::kOutput : TensorKind::kHidden;
      TensorId made = contraction(graph, between(0, 2) == 0 ? through(graph, read, i) : read, i, kind);
      if (kind == TensorKind::kOutput) break;
      if (between(0, 1) == 0) made = behind(graph, OpKind::kRelu, {made}, TensorKind::kHidden);
      there.push_back(between(0, 2) == 0 ? renamed(graph, made, i) : made);
    }
    return without_dead_parts(graph);
  }

  void run_block(Session& session) {
    const DataType type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32});
    const Graph graph = random_block();
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    PlanOptions options{.type = type};
    options.cores = static_cast<int>(one_of<std::int64_t>({0, 0, between(1, session.hardware().cores())}));
    options.share_memory = between(0, 1) == 0;
    const std::optional<Plan> plan = planned(graph, session.hardware(), options);
    if (!plan) return;
    ++planned_;
    const auto& operators = plan->graph.operators();
    parted_ += std::ranges::any_of(operators, [](const Operator& op) { return op.attributes.in_parts; });
    expect_values(session, *plan);
  }

  std::int64_t images_ = 1, rows_ = 0, columns_ = 0;
  int parted_ = 0;
};

}  // namespace tilewright::test
