// MatMul and Gemm.
#include "planner/import/onnx_builder.h"

namespace tilewright {
namespace {

void matmul(OnnxBuilder& b, const OnnxNode& node) {
  b.emit(node, {.kind = OpKind::kMatMul, .inputs = {b.input(node, 0), b.input(node, 1)}});
}

// One value per column: such a bias is part of the matmul; any other is an addition behind it.
bool is_row_bias(const Shape& bias, std::int64_t columns) {
  return !bias.empty() && bias.back() == columns && element_count(bias) == columns;
}

void gemm(OnnxBuilder& b, const OnnxNode& node) {
  Operator op{.kind = OpKind::kMatMul, .inputs = {b.input(node, 0), b.input(node, 1)}};
  op.attributes = {.transpose_a = node.integer("transA", 0) != 0,
                   .transpose_b = node.integer("transB", 0) != 0,
                   .alpha = node.number("alpha", 1.0),
                   .beta = node.number("beta", 1.0)};
  if (!node.has_input(2)) return b.emit(node, op);
  const TensorId bias = b.input(node, 2);
  if (is_row_bias(b.graph.tensor(bias).shape, infer_shape(b.graph, op).back())) {
    op.inputs.push_back(bias);
    return b.emit(node, op);
  }
  if (op.attributes.beta != 1.0) node.fail("beta other than 1 is supported for a bias of one value per column only");
  b.emit(node, {.kind = OpKind::kAdd, .inputs = {b.emit_hidden(node, op, ".product"), bias}});
}

constexpr OnnxConversion kMatrixOperators[] = {{"MatMul", matmul, 1, 1}, {"Gemm", gemm, 1, 2}};

}  // namespace

std::span<const OnnxConversion> onnx_matrix_operators() { return kMatrixOperators; }

}  // namespace tilewright
