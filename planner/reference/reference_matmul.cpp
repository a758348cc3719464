#include <algorithm>

#include "planner/graph/broadcast.h"
#include "planner/reference/reference_kinds.h"
#include "sim/base/stop.h"

#if defined(__x86_64__) && defined(__GNUC__)
// Wider registers where the machine has them; without fused multiply-add, so that all variants agree to the last bit.
#define TILEWRIGHT_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TILEWRIGHT_VECTOR_CLONES
#endif

namespace tilewright {
namespace {

using Panel [[gnu::vector_size(kPanelWidth * sizeof(double)), gnu::aligned(8)]] = double;

void store(const Panel& sum, int width, double* c) {
  for (int j = 0; j < width; ++j) c[j] = sum[j];
}

TILEWRIGHT_VECTOR_CLONES
void four_rows(const double* a, std::int64_t lda, const double* panel, std::int64_t k, int width, double* c,
               std::int64_t ldc) {
  Panel s0{}, s1{}, s2{}, s3{};
  for (std::int64_t p = 0; p < k; ++p) {
    const Panel b = *reinterpret_cast<const Panel*>(panel + p * kPanelWidth);
    s0 += a[p] * b;
    s1 += a[lda + p] * b;
    s2 += a[2 * lda + p] * b;
    s3 += a[3 * lda + p] * b;
  }
  store(s0, width, c);
  store(s1, width, c + ldc);
  store(s2, width, c + 2 * ldc);
  store(s3, width, c + 3 * ldc);
}

TILEWRIGHT_VECTOR_CLONES
void one_row(const double* a, const double* panel, std::int64_t k, int width, double* c) {
  Panel sum{};
  for (std::int64_t p = 0; p < k; ++p) sum += a[p] * *reinterpret_cast<const Panel*>(panel + p * kPanelWidth);
  store(sum, width, c);
}

struct Sizes {
  std::int64_t m, n, k;
};

TensorValues transposed(const double* source, std::int64_t rows, std::int64_t columns) {
  TensorValues result(rows * columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) result[j * rows + i] = source[i * columns + j];
  return result;
}

void pack_columns(const double* b, const Sizes& s, bool transpose, std::int64_t first, int width, TensorValues& panel) {
  for (std::int64_t p = 0; p < s.k; ++p)
    for (int j = 0; j < width; ++j)
      panel[p * kPanelWidth + j] = transpose ? b[(first + j) * s.k + p] : b[p * s.n + first + j];
}

void multiply(const double* a, const double* b, bool transpose_b, const Sizes& s, double* c) {
  TensorValues panel(s.k * kPanelWidth, 0.0);
  for (std::int64_t first = 0; first < s.n; first += kPanelWidth) {
    check_stop();
    const int width = static_cast<int>(std::min<std::int64_t>(kPanelWidth, s.n - first));
    pack_columns(b, s, transpose_b, first, width, panel);
    panel_product(a, s.k, panel.data(), s.m, s.k, width, c + first, s.n);
  }
}

Shape batch_dimensions(const Shape& shape) { return Shape(shape.begin(), shape.end() - 2); }

void scale_and_add_bias(const Operator& op, const ReferenceOperands& in, const Shape& out, TensorValues& result) {
  if (op.attributes.alpha != 1.0)
    for (double& value : result) value *= op.attributes.alpha;
  if (in.size() < 3) return;
  double* target = result.data();
  const auto strides = broadcast_strides(in[2].shape, out);
  for_each_offset(out, strides, strides,
                  [&](std::int64_t offset, std::int64_t) { *target++ += op.attributes.beta * in[2].values[offset]; });
}

}  // namespace

void panel_product(const double* a, std::int64_t lda, const double* panel, std::int64_t m, std::int64_t k, int width,
                   double* c, std::int64_t ldc) {
  std::int64_t i = 0;
  for (; i + 4 <= m; i += 4) four_rows(a + i * lda, lda, panel, k, width, c + i * ldc, ldc);
  for (; i < m; ++i) one_row(a + i * lda, panel, k, width, c + i * ldc);
}

TensorValues reference_matmul(const Operator& op, const ReferenceOperands& in, const Shape& out) {
  const Shape& a = in[0].shape;
  const bool transpose_a = op.attributes.transpose_a;
  const std::int64_t rows_a = a[a.size() - 2], columns_a = a.back();
  const Sizes s = {out[out.size() - 2], out.back(), transpose_a ? rows_a : columns_a};
  const Shape batch = batch_dimensions(out);
  TensorValues result(element_count(out));
  double* c = result.data();
  for_each_offset(batch, broadcast_strides(batch_dimensions(a), batch),
                  broadcast_strides(batch_dimensions(in[1].shape), batch), [&](std::int64_t i, std::int64_t j) {
                    const double* matrix = in[0].values.data() + i * s.m * s.k;
                    const TensorValues by_columns =
                        transpose_a ? transposed(matrix, rows_a, columns_a) : TensorValues{};
                    multiply(transpose_a ? by_columns.data() : matrix, in[1].values.data() + j * s.k * s.n,
                             op.attributes.transpose_b, s, c);
                    c += s.m * s.n;
                  });
  scale_and_add_bias(op, in, out, result);
  return result;
}

TensorValues expanded_weights(const Attributes& attributes, std::int64_t depth, std::int64_t columns,
                              const TensorValues& bytes, const TensorValues& scales) {
  TensorValues weights;
  weights.reserve(depth * columns);
  const std::int64_t each = 8 / attributes.bits;  // numbers in a byte
  for (std::int64_t k = 0; k < depth; ++k)
    for (std::int64_t n = 0; n < columns; ++n) {
      const auto byte = static_cast<int>(bytes[k / each * columns + n]);
      const int number = each == 1 ? byte : k % 2 == 1 ? byte >> 4 : ((byte & 15) ^ 8) - 8;
      weights.push_back((number - attributes.zero_point) * scales[k / attributes.group_size * columns + n]);
    }
  return weights;
}

TensorValues reference_packed_matmul(const Operator& op, const ReferenceOperands& in, const Shape& out) {
  const Shape shape{in[0].shape.back(), out.back()};
  const TensorValues weights = expanded_weights(op.attributes, shape[0], shape[1], in[1].values, in[2].values);
  const Operator product{.name = op.name, .kind = OpKind::kMatMul};
  return reference_matmul(product, {in[0], {shape, weights}}, out);
}

}  // namespace tilewright
