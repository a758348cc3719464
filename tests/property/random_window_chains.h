// Random chains of convolutions and pools computed together by rows on random small chips: dense, grouped and
// depthwise, maxima and averages, strides, dilations, paddings that differ on every side, several images; biases,
// activations and residuals behind convolutions. Every program is legal, ends, and computes the right values.
#pragma once

#include "planner/emit/window_chain/window_areas.h"
#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomWindowChains : public RandomPlans {
 public:
  using RandomPlans::RandomPlans;

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_chain(*sessions_[i % sessions_.size()]);
    // A chip whose buffers hold no row of anything refuses all its cases; of few chips it may be most.
    EXPECT_GT(4 * formed_, cases - 48);
    // Few cases may have none.
    EXPECT_GT(8 * pooled_, formed_ - 48) << "hardly any chain has a pool";
    EXPECT_GT(24 * moved_, formed_ - 96) << "hardly any rows are moved to the beginning of their area";
  }

 private:
  TensorId convolution(Graph& graph, TensorId input, TensorKind kept) {
    const std::string name = fmt::format("c{}", names_.size());
    const Shape x = graph.tensor(input).shape;
    const std::int64_t kh = std::min(between(1, 4), (x[2] + 1) / 2), kw = std::min(between(1, 4), x[3]);  // they fit
    Operator op{.name = name, .kind = OpKind::kConv};
    Attributes& a = op.attributes;
    a.groups = one_of<std::int64_t>({1, 1, x[1], x[1] % 2 == 0 ? 2 : 1});
    a.strides = {one_of<std::int64_t>({1, 1, 2, 3}), one_of<std::int64_t>({1, 1, 2})};
    a.dilations = {one_of<std::int64_t>({1, 1, 2}), 1};
    a.pads = {between(0, kh), between(0, kw), between(0, kh), between(0, kw)};
    const std::int64_t filters = a.groups * (a.groups > 1 ? between(1, 2) : between(1, 20));
    op.inputs = {input, add(graph, (name + ".w").c_str(), {filters, x[1] / a.groups, kh, kw}, TensorKind::kConstant)};
    if (between(0, 1) == 0) op.inputs.push_back(add(graph, (name + ".bias").c_str(), {filters}, TensorKind::kConstant));
    TensorId out = op.output = add(graph, (name + ".out").c_str(), infer_shape(graph, op), kept);
    graph.add_operator(std::move(op));
    names_.push_back(name);
    return out;
  }

  TensorId pool(Graph& graph, TensorId input) {
    const std::string name = fmt::format("p{}", names_.size());
    const Shape x = graph.tensor(input).shape;
    Operator op{.name = name, .kind = one_of({OpKind::kMaxPool, OpKind::kAveragePool})};
    Attributes& a = op.attributes;
    a.window = {std::min(between(1, 4), (x[2] + 1) / 2), std::min(between(1, 4), x[3])};
    a.strides = {one_of<std::int64_t>({1, 1, 2, 3}), one_of<std::int64_t>({1, 1, 2})};
    for (const std::int64_t size : {a.window[0], a.window[1], a.window[0], a.window[1]})
      a.pads.push_back(between(0, size - 1));
    a.count_include_pad = between(0, 1) == 0;
    a.ceil_mode = between(0, 1) == 0;
    op.inputs = {input};
    const TensorId out = op.output = add(graph, (name + ".out").c_str(), infer_shape(graph, op), TensorKind::kHidden);
    graph.add_operator(std::move(op));
    names_.push_back(name);
    return out;
  }

  // What may stand behind a convolution.
  TensorId with_epilogues(Graph& graph, TensorId result) {
    if (between(0, 2) == 0) result = behind(graph, OpKind::kRelu, {result}, TensorKind::kHidden);
    const std::string name = fmt::format("shortcut{}", names_.size());
    if (between(0, 3) == 0)
      result = behind(graph, OpKind::kAdd,
                      {result, add(graph, name.c_str(), graph.tensor(result).shape, TensorKind::kInput)},
                      TensorKind::kHidden);
    return result;
  }

  Graph random_chain() {
    Graph graph;
    names_.clear();
    TensorId rows =
        add(graph, "x", {between(1, 2), between(1, 9), between(12, 40), between(12, 24)}, TensorKind::kInput);
    const std::int64_t most = between(2, 4);
    while (std::ssize(names_) < most)
      rows =
          between(0, 3) == 0 ? pool(graph, rows) : with_epilogues(graph, convolution(graph, rows, TensorKind::kHidden));
    behind(graph, OpKind::kRelu, {rows}, TensorKind::kOutput);
    return graph;
  }

  void run_chain(Session& session) {
    const DataType type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32});
    const Graph graph = random_chain();
    if (const auto plan = run_together(session, graph, names_, type)) count(*plan);
  }

  void count(const Plan& plan) {
    if (plan.groups.empty()) return;
    ++formed_;
    const OperatorGroup& group = plan.groups.front();
    const WindowChain chain(plan, group, plan.operators[group.members.back()].split.items.front().output);
    pooled_ += std::ranges::any_of(chain.steps(), [](const WindowStep& step) { return step.is_pool(); });
    const auto areas = window_areas(chain, group.block_rows.front());
    for (const auto& step : areas->steps)
      if (std::any_of(step.input.places.begin(), step.input.places.end(),
                      [](const RowPlace& p) { return p.moves(); })) {
        ++moved_;
        return;
      }
  }

  std::vector<std::string> names_;  // of the chain's operators
  int formed_ = 0, moved_ = 0, pooled_ = 0;
};

}  // namespace tilewright::test
