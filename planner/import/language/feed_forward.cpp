// The feed-forward layer of a block, and a mixture of such layers (Shazeer et al., 2017; Mixtral, Jiang et al., 2024).
#include <numeric>

#include "planner/import/language/language_parts.h"

namespace tilewright {
namespace {

constexpr double kLeftOut = -1e9;

// The tokens' experts as a matrix [rows, experts] of `in` and `out`.
std::vector<double> chosen(const LanguageModel& model, double in, double out) {
  std::vector<double> matrix(model.rows() * model.config.experts, out);
  for (std::size_t row = 0; row < model.routing.size(); ++row)
    for (const std::int64_t expert : model.routing[row]) matrix[row * model.config.experts + expert] = in;
  return matrix;
}

// [rows, experts per token, experts]: 1 for each of a token's experts, in their order.
std::vector<double> picks(const LanguageModel& model) {
  const std::int64_t experts = model.config.experts;
  std::vector<double> matrix;
  for (const auto& token : model.routing)
    for (const std::int64_t expert : token) {
      matrix.resize(matrix.size() + experts);
      matrix[matrix.size() - experts + expert] = 1;
    }
  return matrix;
}

// Weights of a token's experts [rows, experts per token, 1]: softmax over the logits of those alone.
TensorId gates(GraphSteps& s, const LanguageModel& model, TensorId x) {
  const std::int64_t rows = model.rows(), experts = model.config.experts, each = model.config.experts_per_token;
  TensorId logits = s.linear("router", x, experts, false);
  logits = s.op("router.chosen", OpKind::kAdd,
                {logits, s.known("router.mask", {rows, experts}, chosen(model, 0, kLeftOut))});
  const TensorId shares = s.op("router.softmax", OpKind::kSoftmax, {logits}, {.axis = 1});
  const TensorId spread = s.op("router.spread", OpKind::kMul,
                               {s.known("router.picks", {rows, each, experts}, picks(model)),
                                s.reshape("router.shares", shares, {rows, 1, experts})});
  return s.op("router.gates", OpKind::kReduceSum, {spread}, {.axes = {2}});
}

std::vector<std::int64_t> all_rows(std::int64_t count) {
  std::vector<std::int64_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Where the result for each row's experts lies when those of expert after expert stand behind each other.
std::vector<std::int64_t> places(const LanguageModel& model, const std::vector<std::vector<std::int64_t>>& of_experts) {
  std::vector<std::int64_t> next(of_experts.size()), place;
  for (std::size_t e = 1; e < next.size(); ++e) next[e] = next[e - 1] + std::ssize(of_experts[e - 1]);
  for (const auto& token : model.routing)
    for (const std::int64_t expert : token) place.push_back(next[expert]++);
  return place;
}

}  // namespace

TensorId feed_forward(GraphSteps& s, const LanguageConfig& c, const std::string& name, TensorId x) {
  TensorId inner = s.stored_linear(name + (c.gated ? "gate" : "up"), x, c.intermediate, c.feed_forward_bias);
  inner = s.op(name + "activation", c.activation, {inner});
  if (c.gated)
    inner = s.op(name + "gated", OpKind::kMul,
                 {s.stored_linear(name + "up", x, c.intermediate, c.feed_forward_bias), inner});
  return s.stored_linear(name + "down", inner, c.hidden, c.feed_forward_bias);
}

TensorId mixture_of_experts(GraphSteps& s, const LanguageModel& model, TensorId x) {
  const LanguageConfig& c = model.config;
  const auto of_experts = model.rows_of_experts();
  std::vector<TensorId> parts;
  for (std::size_t e = 0; e < of_experts.size(); ++e) {
    if (of_experts[e].empty()) continue;
    const std::string name = "expert" + std::to_string(e) + ".";
    const bool all = of_experts[e] == all_rows(model.rows());
    parts.push_back(feed_forward(s, c, name, all ? x : s.rows(name + "tokens", x, of_experts[e])));
  }
  TensorId results = parts.size() == 1 ? parts[0] : s.op("experts", OpKind::kConcat, parts, {.axis = 0});
  const auto order = places(model, of_experts);
  if (order != all_rows(std::ssize(order))) results = s.rows("experts.by_token", results, order);
  results = s.reshape("experts.of_token", results, {model.rows(), c.experts_per_token, c.hidden});
  const TensorId weighted = s.op("experts.weighted", OpKind::kMul, {results, gates(s, model, x)});
  return s.op("experts.sum", OpKind::kReduceSum, {weighted}, {.axes = {1}, .keepdims = false});
}

}  // namespace tilewright
