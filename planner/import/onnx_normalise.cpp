// Softmax, normalisations and means.
#include <fmt/format.h>

#include <numeric>

#include "planner/import/onnx_builder.h"

namespace tilewright {
namespace {

// Before opset 13 Softmax ran over all dimensions from `axis` (default 1) on; since then over one (default the last).
void softmax(OnnxBuilder& b, const OnnxNode& node) {
  const std::size_t rank = b.shape(node, 0).size();
  Operator op{.kind = OpKind::kSoftmax, .inputs = {b.input(node, 0)}};
  op.attributes.axis = b.normalised_axis(node, node.integer("axis", node.opset < 13 ? 1 : -1), rank);
  if (node.opset < 13 && op.attributes.axis + 1 != static_cast<std::int64_t>(rank))
    node.fail(fmt::format("axis {} of rank {} before opset 13 spans several dimensions, which is not supported",
                          op.attributes.axis, rank));
  b.emit(node, std::move(op));
}

void layer_norm(OnnxBuilder& b, const OnnxNode& node) {
  for (int i = 1; i < node.proto.output_size(); ++i)
    if (!node.proto.output(i).empty()) node.fail("the Mean and InvStdDev outputs are not supported");
  Operator op{.kind = OpKind::kLayerNorm, .inputs = {b.input(node, 0), b.input(node, 1)}};
  op.attributes.axis = b.normalised_axis(node, node.integer("axis", -1), b.shape(node, 0).size());
  op.attributes.epsilon = node.number("epsilon", 1e-5);
  if (node.has_input(2)) op.inputs.push_back(b.input(node, 2));
  b.emit(node, std::move(op));
}

void batch_norm(OnnxBuilder& b, const OnnxNode& node) {
  if (node.integer("training_mode", 0) != 0) node.fail("training mode is not supported");
  Operator op{.kind = OpKind::kBatchNorm};
  for (int i = 0; i < 5; ++i) op.inputs.push_back(b.input(node, i));
  op.attributes.epsilon = node.number("epsilon", 1e-5);
  b.emit(node, std::move(op));
}

// The axes were an attribute before opset 18 and are an input since; none means all.
void reduce_mean(OnnxBuilder& b, const OnnxNode& node) {
  const std::size_t rank = b.shape(node, 0).size();
  Operator op{.kind = OpKind::kReduceMean, .inputs = {b.input(node, 0)}};
  std::vector<std::int64_t>& axes = op.attributes.axes;
  axes = node.has_input(1) ? b.integers(node, 1) : node.integers("axes").value_or(std::vector<std::int64_t>{});
  for (std::int64_t& axis : axes) axis = b.normalised_axis(node, axis, rank);
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) == 0) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  op.attributes.keepdims = node.integer("keepdims", 1) != 0;
  b.emit(node, std::move(op));
}

constexpr OnnxConversion kNormaliseOperators[] = {{"Softmax", softmax},
                                                  {"LayerNormalization", layer_norm, 1, 2},
                                                  {"BatchNormalization", batch_norm, 1, 4},
                                                  {"ReduceMean", reduce_mean}};

}  // namespace

std::span<const OnnxConversion> onnx_normalise_operators() { return kNormaliseOperators; }

}  // namespace tilewright
