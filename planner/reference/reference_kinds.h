// The plain computation of each family of operators; compute_reference chooses. Sizes have been checked by infer_shape.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/reference/reference.h"

namespace tilewright {

struct ReferenceOperand {
  const Shape& shape;
  const TensorValues& values;
};
using ReferenceOperands = std::vector<ReferenceOperand>;

TensorValues reference_matmul(const Operator& op, const ReferenceOperands& in, const Shape& out);
TensorValues reference_packed_matmul(const Operator& op, const ReferenceOperands& in, const Shape& out);
TensorValues reference_conv(const Graph& graph, const Operator& op, const ReferenceOperands& in, const Shape& out);
TensorValues reference_pool(const Graph& graph, const Operator& op, const ReferenceOperands& in, const Shape& out);

double apply_activation(OpKind kind, const Attributes& attributes, double x);
double apply_binary(OpKind kind, const Attributes& attributes, double a, double b);
// What the inputs of an operator with Attributes::levels stand for, and its result as they write it.
TensorValues dequantized(const TensorValues& values, const QuantLevel& level);
void quantize(TensorValues& values, const QuantLevel& level);
// `whole_numbers`: of integers, whose quotient is cut towards zero.
TensorValues reference_binary(const Operator& op, const ReferenceOperands& in, const Shape& out, bool whole_numbers);

TensorValues reference_softmax(const Operator& op, const ReferenceOperands& in);
TensorValues reference_layer_norm(const Operator& op, const ReferenceOperands& in);
TensorValues reference_rms_norm(const Operator& op, const ReferenceOperands& in);
TensorValues reference_batch_norm(const Operator& op, const ReferenceOperands& in);
TensorValues reference_reduce(const Operator& op, const ReferenceOperands& in, const Shape& out);

TensorValues reference_transpose(const Operator& op, const ReferenceOperands& in, const Shape& out);
TensorValues reference_concat(const Operator& op, const ReferenceOperands& in, const Shape& out);
TensorValues reference_slice(const Operator& op, const ReferenceOperands& in, const Shape& out);
TensorValues reference_gather(const Operator& op, const ReferenceOperands& in, const Shape& out);

// The inner product that matrix products and convolutions share: rows of A against a panel of kPanelWidth packed
// columns.
inline constexpr int kPanelWidth = 8;

// c[i * ldc + j] = sum over p < k of a[i * lda + p] * panel[p * kPanelWidth + j], for i < m and j < width.
// Every sum runs in ascending p with separate multiply and add, so the result does not depend on the machine.
void panel_product(const double* a, std::int64_t lda, const double* panel, std::int64_t m, std::int64_t k, int width,
                   double* c, std::int64_t ldc);

}  // namespace tilewright
