#include "sim/isa/dims.h"

namespace tilewright {

namespace {

// `used(d)` says whether dimension d carries information.
template <typename Used>
int kept(int dims, Used used) {
  int first = 0;
  while (first < dims - 1 && !used(first)) ++first;
  return dims - first;
}

}  // namespace

int dims_of(const Transfer& t) {
  return kept(kBoxDims, [&](int d) {
    return t.shape[d] != 1 || t.pad_low[d] != 0 || t.pad_high[d] != 0 || t.source.stride[d] != 0 ||
           t.target.stride[d] != 0;
  });
}

int dims_of(const Vector& v) {
  return kept(kBoxDims, [&](int d) {
    return v.shape[d] != 1 || v.target.stride[d] != 0 || v.a.stride[d] != 0 || (has_operand_b(v) && v.b.stride[d] != 0);
  });
}

MatmulDims dims_of(const Matmul& mm) {
  const auto count = [](const MatmulExtents& extent, const MatmulExtents& first, const MatmulExtents& second) {
    return kept(kMatmulDims, [&](int d) { return extent[d] != 1 || first[d] != 0 || second[d] != 0; });
  };
  return {count(mm.m, mm.a.row_stride, mm.c.row_stride), count(mm.n, mm.b.column_stride, mm.c.column_stride),
          count(mm.k, mm.a.column_stride, mm.b.row_stride)};
}

bool has_operand_b(const Vector& v) { return !v.b_is_immediate && (is_binary(v.op) || !(v.b == VectorOperand{})); }

}  // namespace tilewright
