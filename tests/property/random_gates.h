// Random squeeze-and-excitation blocks on random small chips: a convolution, grouped or depthwise, the mean of whose
// images gives one factor for each channel of what the next convolution reads; perhaps more convolutions around. Every
// program is legal, ends, and computes the right values.
#pragma once

#include <algorithm>

#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomGates : public RandomPlans {
 public:
  using RandomPlans::RandomPlans;

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_gate(*sessions_[i % sessions_.size()]);
    EXPECT_GT(2 * planned_, cases - 16);
    // Few cases may have none.
    EXPECT_GT(6 * scaled_, planned_ - 32) << "hardly any weights are scaled on the way";
    EXPECT_GT(12 * following_, planned_ - 64) << "hardly any mean is formed where its rows are made";
  }

 private:
  TensorId convolution(Graph& graph, TensorId input, std::int64_t filters, std::int64_t groups, std::int64_t kernel) {
    const std::string name = fmt::format("c{}", graph.operators().size());
    const Shape x = graph.tensor(input).shape;
    kernel = std::min({kernel, x[2], x[3]});  // it fits
    Operator op{.name = name, .kind = OpKind::kConv};
    op.attributes.groups = groups;
    op.attributes.strides = {one_of<std::int64_t>({1, 1, 2}), one_of<std::int64_t>({1, 1, 2})};
    const std::int64_t pad = kernel / 2;
    op.attributes.pads = {pad, between(0, pad), pad, between(0, pad)};
    op.inputs = {input,
                 add(graph, (name + ".w").c_str(), {filters, x[1] / groups, kernel, kernel}, TensorKind::kConstant)};
    if (between(0, 1) == 0) op.inputs.push_back(add(graph, (name + ".b").c_str(), {filters}, TensorKind::kConstant));
    const TensorId out = op.output = add(graph, (name + ".out").c_str(), infer_shape(graph, op), TensorKind::kHidden);
    graph.add_operator(std::move(op));
    return between(0, 1) == 0 ? out : behind(graph, OpKind::kRelu, {out}, TensorKind::kHidden);
  }

  TensorId mean(Graph& graph, TensorId images) {
    Operator op{.name = "mean", .kind = OpKind::kReduceMean, .inputs = {images}, .attributes = {.axes = {2, 3}}};
    const TensorId out = op.output = add(graph, "mean.out", infer_shape(graph, op), TensorKind::kHidden);
    graph.add_operator(std::move(op));
    return out;
  }

  Graph random_gate() {
    Graph graph;
    const std::int64_t width = one_of<std::int64_t>({6, 7, 12, 24, 36});
    const std::int64_t groups = one_of<std::int64_t>({width, width, 1, width % 2 == 0 ? 2 : 1});
    TensorId x = add(graph, "x", {one_of<std::int64_t>({1, 1, 2}), between(1, 9), between(7, 20), between(7, 20)},
                     TensorKind::kInput);
    x = convolution(graph, x, width, 1, one_of<std::int64_t>({1, 3}));
    x = convolution(graph, x, width, groups, one_of<std::int64_t>({1, 3, 5}));
    const TensorId small = convolution(graph, mean(graph, x), between(1, 6), 1, 1);
    const TensorId gate =
        behind(graph, OpKind::kSigmoid, {convolution(graph, small, width, 1, 1)}, TensorKind::kHidden);
    x = behind(graph, OpKind::kMul, {x, gate}, TensorKind::kHidden);
    x = convolution(graph, x, between(1, 20), 1, one_of<std::int64_t>({1, 1, 3}));
    if (between(0, 1) == 0) x = convolution(graph, x, between(1, 20), 1, 1);
    behind(graph, OpKind::kRelu, {x}, TensorKind::kOutput);
    return graph;
  }

  void run_gate(Session& session) {
    const DataType type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32});
    const Graph graph = random_gate();
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    PlanOptions options{.type = type};
    options.early_loads = one_of({EarlyLoads::kNone, EarlyLoads::kAlways});
    options.cores = static_cast<int>(one_of<std::int64_t>({0, 0, between(1, session.hardware().cores())}));
    options.share_memory = between(0, 3) == 0;
    const std::optional<Plan> plan = planned(graph, session.hardware(), options);
    if (!plan) return;
    ++planned_;
    expect_values(session, *plan);
    scaled_ +=
        std::ranges::any_of(plan->graph.operators(), [](const Operator& op) { return op.attributes.channel_factors; });
    following_ += std::ranges::any_of(plan->operators, [](const OperatorPlan& op) { return op.leader >= 0; });
  }

  int scaled_ = 0, following_ = 0;
};

}  // namespace tilewright::test
