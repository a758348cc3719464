#include "planner/import/language/language_graph.h"

#include <fmt/format.h>

#include <cmath>

#include "planner/graph/block_names.h"
#include "planner/import/language/language_parts.h"

namespace tilewright {

TensorId normalised(GraphSteps& s, const LanguageConfig& c, const std::string& name, TensorId x) {
  std::vector<TensorId> inputs{x, s.weights(name + ".scale", {c.hidden})};
  if (c.norm == OpKind::kLayerNorm) inputs.push_back(s.weights(name + ".bias", {c.hidden}));
  const auto axis = static_cast<std::int64_t>(s.shape(x).size()) - 1;
  return s.op(name, c.norm, std::move(inputs), {.axis = axis, .epsilon = c.epsilon});
}

namespace {

class Network {
 public:
  Network(const LanguageModel& model, DataType type)
      : s_(type, model.config.weights), model_(model), c_(model.config) {}

  Graph build() {
    s_.graph.name = c_.name;
    const SharedTensors shared = shared_tensors(s_, model_);
    TensorId x = embedded();
    for (std::int64_t block = 1; block <= model_.blocks(); ++block) {
      s_.enter(block_prefix(block));
      x = c_.encoder ? encoder_block(shared, x) : decoder_block(shared, x);
    }
    s_.enter("");
    s_.output(c_.encoder ? x : logits(x));
    return std::move(s_.graph);
  }

 private:
  // Tokens, and positions where they are learned, [rows, hidden].
  TensorId embedded() {
    table_ = s_.weights("embedding", {c_.vocabulary, c_.hidden});
    TensorId x = s_.op("embed", OpKind::kGather, {table_, s_.indices("tokens", {model_.rows()})}, {.axis = 0});
    if (c_.scale_embedding) x = s_.scaled("embed.scale", x, std::sqrt(static_cast<double>(c_.hidden)));
    if (!c_.rotary) x = with_positions(x);
    return c_.encoder ? normalised(s_, c_, "embed.norm", x) : x;
  }

  TensorId with_positions(TensorId x) {
    const Shape by_sequence{model_.run.batch, model_.tokens(), c_.hidden};
    const TensorId positions = s_.weights("positions", {model_.tokens(), c_.hidden});
    x = s_.op("embed.positions", OpKind::kAdd, {s_.reshape("embed.sequences", x, by_sequence), positions});
    x = s_.reshape("embed.rows", x, {model_.rows(), c_.hidden});
    // Of bert: what tells the first of two texts from the second; here all tokens are of the first.
    return c_.encoder ? s_.op("embed.type", OpKind::kAdd, {x, s_.weights("token_type", {c_.hidden})}) : x;
  }

  TensorId added(const char* name, TensorId x, TensorId more) { return s_.op(name, OpKind::kAdd, {more, x}); }

  TensorId decoder_block(const SharedTensors& shared, TensorId x) {
    x = added("attention_residual", x, attention(s_, model_, shared, normalised(s_, c_, "attention_norm", x)));
    const TensorId normal = normalised(s_, c_, "feed_forward_norm", x);
    return added("feed_forward_residual", x,
                 c_.experts > 0 ? mixture_of_experts(s_, model_, normal) : feed_forward(s_, c_, "", normal));
  }

  TensorId encoder_block(const SharedTensors& shared, TensorId x) {
    x = normalised(s_, c_, "attention_norm", added("attention_residual", x, attention(s_, model_, shared, x)));
    return normalised(s_, c_, "feed_forward_norm", added("feed_forward_residual", x, feed_forward(s_, c_, "", x)));
  }

  // Of the last token of each sequence.
  TensorId logits(TensorId x) {
    if (model_.tokens() > 1) {
      const std::int64_t last = model_.tokens() - 1;
      x = s_.reshape("last.sequences", x, {model_.run.batch, model_.tokens(), c_.hidden});
      x = s_.op("last", OpKind::kSlice, {x}, {.axes = {1}, .starts = {last}, .ends = {last + 1}, .steps = {1}});
      x = s_.reshape("last.rows", x, {model_.run.batch, c_.hidden});
    }
    x = normalised(s_, c_, "final_norm", x);
    if (!c_.tied) return s_.linear("head", x, c_.vocabulary, false);
    return s_.op("head", OpKind::kMatMul, {x, table_}, {.transpose_b = true});
  }

  GraphSteps s_;
  const LanguageModel& model_;
  const LanguageConfig& c_;
  TensorId table_ = -1;
};

}  // namespace

Graph language_graph(const LanguageModel& model, DataType type) { return Network(model, type).build(); }

}  // namespace tilewright
