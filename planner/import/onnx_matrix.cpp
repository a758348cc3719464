// MatMul and Gemm.
#include "planner/import/onnx_packed.h"

namespace tilewright {
namespace {

// Operands of one dimension are a row or a column, which the result leaves out.
void vector_product(OnnxBuilder& b, const OnnxNode& node) {
  OnnxSteps s(b, node);
  TensorId x = b.input(node, 0), y = b.input(node, 1);
  const bool row = s.shape(x).size() == 1, column = s.shape(y).size() == 1;
  if (row) x = s.reshape(x, {1, s.shape(x)[0]});
  if (column) y = s.reshape(y, {s.shape(y)[0], 1});
  const TensorId product = s.matmul(x, y);
  Shape shape = s.shape(product);
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  s.finish(s.reshape(product, shape));
}

void matmul(OnnxBuilder& b, const OnnxNode& node) {
  if (b.rank(node, 0) == 1 || b.rank(node, 1) == 1) return vector_product(b, node);
  if (const auto packed = packed_product(b, node, false)) return OnnxSteps(b, node).finish(*packed);
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
  const bool plain = !op.attributes.transpose_a && op.attributes.alpha == 1 && op.attributes.beta == 1;
  if (plain)
    if (const auto packed = packed_product(b, node, op.attributes.transpose_b)) {
      OnnxSteps s(b, node);
      return s.finish(b.has(node, 2) ? s.add(*packed, b.input(node, 2)) : *packed);
    }
  if (!b.has(node, 2)) {
    b.emit(node, op);
    return;
  }
  const TensorId bias = b.input(node, 2);
  if (is_row_bias(b.graph.tensor(bias).shape, infer_shape(b.graph, op).back())) {
    op.inputs.push_back(bias);
    b.emit(node, op);
    return;
  }
  OnnxSteps s(b, node);
  const double beta = op.attributes.beta;
  op.attributes.beta = 1.0;
  s.finish(s.add(b.emit_hidden(node, op), beta == 1.0 ? bias : s.mul(bias, beta)));
}

constexpr OnnxConversion kMatrixOperators[] = {{"MatMul", matmul, 1, 1}, {"Gemm", gemm, 1, 2}};

}  // namespace

std::span<const OnnxConversion> onnx_matrix_operators() { return kMatrixOperators; }

}  // namespace tilewright
