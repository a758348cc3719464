// Attention (opset 23) as products, masks and a softmax. Query heads that share keys and values are a dimension of
// their own, along which those are broadcast, so that no key is copied.
#include <fmt/format.h>

#include <cmath>

#include "planner/graph/masked_score.h"
#include "planner/import/onnx_steps.h"

namespace tilewright {
namespace {

class OnnxAttention {
 public:
  OnnxAttention(OnnxBuilder& b, const OnnxNode& node) : b_(b), node_(node), s_(b, node) {}

  void convert() {
    refuse_what_is_missing();
    three_dimensional_ = s_.shape(b_.input(node_, 0)).size() == 3;
    const TensorId query = heads_of(0, "q_num_heads");
    const TensorId key = with_past(heads_of(1, "kv_num_heads"), 4, 1),
                   value = with_past(heads_of(2, "kv_num_heads"), 5, 2);
    take_sizes(query, key, value);
    const double scale = node_.number("scale", 1 / std::sqrt(static_cast<double>(depth_)));
    const std::vector<TensorId> operands{by_key_heads(query, group_), by_key_heads(key, 1)};
    TensorId scores = s_.mul(s_.op(OpKind::kMatMul, operands, {.transpose_b = true}), scale);
    if (softcap_ > 0) scores = s_.mul(s_.op(OpKind::kTanh, {s_.div(scores, softcap_)}), softcap_);
    if (causal_) scores = s_.add(scores, causal_mask());
    if (node_.has_input(3)) scores = s_.add(scores, mask_of_heads(added(b_.input(node_, 3))));
    const TensorId weights = s_.op(OpKind::kSoftmax, {scores}, {.axis = std::ssize(s_.shape(scores)) - 1});
    const TensorId context = s_.matmul(weights, by_key_heads(value, 1));
    finish(s_.reshape(context, {batch_, heads_, queries_, s_.shape(value)[3]}));
  }

 private:
  void refuse_what_is_missing() {
    softcap_ = node_.number("softcap", 0), causal_ = node_.integer("is_causal", 0) != 0;
    if (b_.has_output(node_, 3)) node_.fail("its scores as an output are not supported");
    if (node_.has_input(6)) node_.fail("nonpad_kv_seqlen is not supported");
    if (softcap_ > 0 && (causal_ || node_.has_input(3)))
      node_.fail("softcap with a mask is not supported: opset 23 and 24 apply them in different orders");
    if (causal_ && node_.has_input(4))
      node_.fail("is_causal with past keys is not supported: opset 23 and 24 differ in what a query sees");
  }

  // [batch, heads, tokens, depth], of [batch, tokens, heads x depth] as well.
  TensorId heads_of(int input, const char* count) {
    const TensorId x = b_.input(node_, input);
    const Shape shape = s_.shape(x);
    if (shape.size() == 4 && !three_dimensional_) return x;
    const std::int64_t heads = node_.integer(count, 0);
    if (shape.size() != 3 || !three_dimensional_ || heads < 1 || shape[2] % heads != 0)
      node_.fail(fmt::format("input {} has shape {}, {} is {}", input, to_string(shape), count, heads));
    return s_.transpose(s_.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
  }

  // Behind those of the tokens before; all of them are the output `present`.
  TensorId with_past(TensorId x, int past, int present) {
    if (node_.has_input(past)) x = s_.concat({b_.input(node_, past), x}, 2);
    if (b_.has_output(node_, present)) s_.finish(s_.op(OpKind::kIdentity, {x}), present);
    return x;
  }

  void take_sizes(TensorId query, TensorId key, TensorId value) {
    const Shape &q = s_.shape(query), &k = s_.shape(key), &v = s_.shape(value);
    batch_ = q[0], heads_ = q[1], queries_ = q[2], depth_ = q[3], key_heads_ = k[1], keys_ = k[2];
    if (k[0] != batch_ || v[0] != batch_ || v[1] != key_heads_ || v[2] != keys_ || k[3] != depth_ ||
        heads_ % key_heads_ != 0)
      node_.fail(
          fmt::format("query, key and value have shapes {}, {} and {}", to_string(q), to_string(k), to_string(v)));
    group_ = heads_ / key_heads_;
  }

  // [batch, heads, rows, depth], as `group` heads of queries to one of keys.
  TensorId by_key_heads(TensorId x, std::int64_t group) {
    const Shape shape = s_.shape(x);
    return group_ == 1 ? x : s_.reshape(x, {batch_, key_heads_, group, shape[2], shape[3]});
  }

  // A query sees the key of its own number and those before.
  TensorId causal_mask() {
    std::vector<double> mask;
    for (std::int64_t query = 0; query < queries_; ++query)
      for (std::int64_t key = 0; key < keys_; ++key) mask.push_back(key <= query ? 0 : kMaskedScore);
    return s_.constant({queries_, keys_}, std::move(mask), float_element());
  }

  // What a mask of truth adds to scores.
  TensorId added(TensorId mask) {
    if (!s_.whole(mask)) return mask;
    return s_.mul(s_.to_float(s_.negation(mask)), kMaskedScore);
  }

  // Broadcast against [batch, heads, queries, keys].
  TensorId mask_of_heads(TensorId mask) {
    if (group_ == 1) return mask;
    Shape shape(4, 1);
    const Shape given = s_.shape(mask);
    std::copy_backward(given.begin(), given.end(), shape.end());
    const bool by_head = shape[1] > 1;
    return s_.reshape(mask, {shape[0], by_head ? key_heads_ : 1, by_head ? group_ : 1, shape[2], shape[3]});
  }

  void finish(TensorId context) {
    if (!three_dimensional_) return s_.finish(context);
    const std::int64_t width = heads_ * s_.shape(context)[3];
    s_.finish(s_.reshape(s_.transpose(context, {0, 2, 1, 3}), {batch_, queries_, width}));
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  OnnxSteps s_;
  bool three_dimensional_ = false, causal_ = false;
  double softcap_ = 0;
  std::int64_t batch_ = 1, heads_ = 1, key_heads_ = 1, group_ = 1, queries_ = 1, keys_ = 1, depth_ = 1;
};

void attention(OnnxBuilder& b, const OnnxNode& node) { OnnxAttention(b, node).convert(); }

constexpr OnnxConversion kAttention[] = {{"Attention", attention}};

}  // namespace

std::span<const OnnxConversion> onnx_attention_operators() { return kAttention; }

}  // namespace tilewright
