// Random products or convolutions that read the same, merged into one on random small chips: results that are read by
// others, moved, renamed, transposed and joined to others in place. Every program is legal, ends, and computes the
// right values.
#pragma once

#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomSiblings : public RandomPlans {
 public:
  using RandomPlans::RandomPlans;

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_siblings(*sessions_[i % sessions_.size()]);
    EXPECT_GT(2 * merged_, cases);
  }

 private:
  // What siblings have in common.
  struct Alike {
    Operator op;
    bool biased = false, activated = false;
  };

  Alike random_alike(Graph& graph) {
    Alike alike{{.kind = one_of({OpKind::kMatMul, OpKind::kConv})}, between(0, 1) == 0, between(0, 1) == 0};
    Attributes& a = alike.op.attributes;
    if (alike.op.kind == OpKind::kMatMul) {
      a.transpose_b = between(0, 1) == 0;
      alike.op.inputs = {add(graph, "x", {random_size(90), random_size(200)}, TensorKind::kInput)};
      return alike;
    }
    a.strides = {between(1, 2), between(1, 2)};
    a.dilations = {1, 1};
    const std::int64_t pad = between(0, 2);
    a.pads = {pad, pad, pad, pad};
    alike.op.inputs = {
        add(graph, "x", {between(1, 2), between(1, 40), between(7, 14), between(7, 14)}, TensorKind::kInput)};
    return alike;
  }

  TensorId sibling(Graph& graph, const Alike& alike, std::int64_t window) {
    Operator op = alike.op;
    op.name = fmt::format("s{}", names_.size());
    const std::int64_t width = random_size(70), depth = graph.tensor(op.inputs[0]).shape[1];
    Shape weights{depth, width};
    if (op.attributes.transpose_b) std::swap(weights[0], weights[1]);
    if (op.kind == OpKind::kConv) weights = {width, depth, window, window};
    op.inputs.push_back(add(graph, (op.name + ".w").c_str(), weights, TensorKind::kConstant));
    if (alike.biased) op.inputs.push_back(add(graph, (op.name + ".bias").c_str(), {width}, TensorKind::kConstant));
    const TensorId out = op.output =
        add(graph, (op.name + ".out").c_str(), infer_shape(graph, op), TensorKind::kHidden);
    names_.push_back(op.name);
    graph.add_operator(std::move(op));
    return alike.activated ? behind(graph, OpKind::kRelu, {out}, TensorKind::kHidden) : out;
  }

  TensorId transposed(Graph& graph, TensorId of) {
    Shape shape = graph.tensor(of).shape;
    Attributes attributes;
    for (std::size_t d = 0; d < shape.size(); ++d) attributes.permutation.push_back(static_cast<std::int64_t>(d));
    std::swap(shape[0], shape[1]);
    std::swap(attributes.permutation[0], attributes.permutation[1]);
    const std::string name = fmt::format("transpose{}", graph.operators().size());
    const TensorId out = add(graph, name.c_str(), shape, TensorKind::kHidden);
    graph.add_operator(
        {.name = name, .kind = OpKind::kTranspose, .inputs = {of}, .output = out, .attributes = attributes});
    return out;
  }

  // Two readers, so that what reads a result is not fused into its operator.
  void read(Graph& graph, TensorId result) {
    behind(graph, OpKind::kTanh, {result}, TensorKind::kOutput);
    behind(graph, OpKind::kRelu, {between(0, 2) == 0 ? transposed(graph, result) : result}, TensorKind::kOutput);
  }

  void join(Graph& graph, const std::vector<TensorId>& parts) {
    Operator op{.name = "joined", .kind = OpKind::kConcat, .inputs = parts};
    op.attributes.axis = 1;
    op.output = add(graph, "joined", infer_shape(graph, op), TensorKind::kHidden);
    const TensorId out = op.output;
    graph.add_operator(std::move(op));
    behind(graph, OpKind::kRelu, {out}, TensorKind::kOutput);
  }

  Graph random_siblings() {
    Graph graph;
    names_.clear();
    const Alike alike = random_alike(graph);
    const std::int64_t count = between(2, 4), window = between(1, 3);
    std::vector<TensorId> results;
    for (std::int64_t i = 0; i < count; ++i) results.push_back(sibling(graph, alike, window));
    const bool joined = between(0, 1) == 0;
    for (std::size_t i = 0; i < results.size(); ++i)
      if (!joined || i > 1) read(graph, results[i]);
    if (joined) join(graph, {results[0], results[1]});
    return graph;
  }

  void run_siblings(Session& session) {
    const DataType type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32});
    const Graph graph = random_siblings();
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    PlanOptions options{.type = type};
    options.groups = GroupChoice{.merged = {{names_, ""}}};
    options.cores = static_cast<int>(one_of<std::int64_t>({0, 0, between(1, session.hardware().cores())}));
    options.share_memory = between(0, 3) == 0;
    const std::optional<Plan> plan = planned(graph, session.hardware(), options);
    if (!plan) return;
    const auto& operators = plan->graph.operators();
    merged_ +=
        std::any_of(operators.begin(), operators.end(), [](const Operator& op) { return op.attributes.in_parts; });
    expect_values(session, *plan);
  }

  std::vector<std::string> names_;  // of the siblings
  int merged_ = 0;
};

}  // namespace tilewright::test
