// Attention of a block. Queries of the heads that share keys are rows of one product: [batch x key-value heads, tokens
// x heads per key, head_dim] by keys [batch x key-value heads, tokens seen, head_dim].
#include <cmath>

#include "planner/import/language/language_parts.h"

namespace tilewright {
namespace {

class Attention {
 public:
  Attention(GraphSteps& steps, const LanguageModel& model, const SharedTensors& shared)
      : s_(steps), model_(model), c_(model.config), shared_(shared) {}

  TensorId run(TensorId x) {
    const TensorId query = rotated("query", projected("query", x, c_.heads), shared_.query_cosine, shared_.query_sine);
    const TensorId key =
        kept("key", rotated("key", projected("key", x, c_.key_value_heads), shared_.key_cosine, shared_.key_sine));
    const TensorId value = kept("value", projected("value", x, c_.key_value_heads));
    TensorId scores = s_.op("scores", OpKind::kMatMul, {query, key}, {.transpose_b = true});
    scores = s_.scaled("scores.scale", scores, 1 / std::sqrt(static_cast<double>(c_.head_dim)));
    if (shared_.mask >= 0) scores = s_.op("scores.mask", OpKind::kAdd, {scores, shared_.mask});
    const TensorId weights = s_.op("softmax", OpKind::kSoftmax, {scores}, {.axis = 2});
    const TensorId context = s_.op("context", OpKind::kMatMul, {weights, value});
    return s_.stored_linear("attention_output", joined(context), c_.hidden, c_.output_bias);
  }

 private:
  // [rows, hidden] -> [batch x key-value heads, tokens x heads per key, head_dim], `heads` in all.
  TensorId projected(const std::string& name, TensorId x, std::int64_t heads) {
    TensorId y = s_.stored_linear(name, x, heads * c_.head_dim, c_.query_key_value_bias);
    const std::int64_t group = heads / c_.key_value_heads, batch = model_.run.batch, tokens = model_.tokens();
    if (tokens > 1) {
      y = s_.reshape(name + ".split", y, {batch, tokens, c_.key_value_heads, group * c_.head_dim});
      y = s_.transpose(name + ".heads", y, {0, 2, 1, 3});
    }
    return s_.reshape(name + ".rows", y, {batch * c_.key_value_heads, tokens * group, c_.head_dim});
  }

  // Back to [rows, heads x head_dim].
  TensorId joined(TensorId x) {
    const std::int64_t width = c_.heads_per_key() * c_.head_dim, tokens = model_.tokens();
    if (tokens > 1) {
      x = s_.reshape("context.split", x, {model_.run.batch, c_.key_value_heads, tokens, width});
      x = s_.transpose("context.heads", x, {0, 2, 1, 3});
    }
    return s_.reshape("context.rows", x, {model_.rows(), c_.heads * c_.head_dim});
  }

  TensorId rotated(const std::string& name, TensorId x, TensorId cosine, TensorId sine) {
    if (!c_.rotary) return x;
    if (!model_.decodes()) {
      // First, so that its sum is one of the product's epilogues.
      const TensorId real = s_.op(name + ".cosine", OpKind::kMul, {x, cosine});
      const TensorId turned = s_.op(name + ".turn", OpKind::kMatMul, {x, shared_.rotation});
      const TensorId imaginary = s_.op(name + ".sine", OpKind::kMul, {turned, sine});
      return s_.op(name + ".rotate", OpKind::kAdd, {imaginary, real});
    }
    const Shape shape = s_.shape(x);
    const TensorId rows = s_.reshape(name + ".flat", x, {shape[0] * shape[1], shape[2]});
    return s_.reshape(name + ".rotated", s_.op(name + ".rotate", OpKind::kMatMul, {rows, shared_.rotation}), shape);
  }

  // Keys or values of all tokens seen, which stay in the cache.
  TensorId kept(const std::string& name, TensorId x) {
    if (model_.decodes() && model_.cached() > 0) {
      const Shape shape = s_.shape(x);
      const TensorId past = s_.cache("past_" + name, {shape[0], model_.cached(), shape[2]});
      x = s_.op(name + ".append", OpKind::kConcat, {past, x}, {.axis = 1});
    }
    if (!c_.encoder) s_.output(x);
    return x;
  }

  GraphSteps& s_;
  const LanguageModel& model_;
  const LanguageConfig& c_;
  const SharedTensors& shared_;
};

}  // namespace

TensorId attention(GraphSteps& steps, const LanguageModel& model, const SharedTensors& shared, TensorId x) {
  return Attention(steps, model, shared).run(x);
}

}  // namespace tilewright
