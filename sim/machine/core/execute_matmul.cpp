// Operands are gathered once into plain arrays; then rows of C are summed in loops that compilers vectorise.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "sim/base/error.h"
#include "sim/machine/core/execute.h"

namespace tilewright {
namespace {

// Byte offsets of the flattened index of up to three dimensions.
std::vector<Bytes> offsets_of(const MatmulExtents& extents, const MatmulExtents& stride) {
  std::vector<Bytes> offsets;
  offsets.reserve(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]));
  for (std::int64_t i = 0; i < extents[0]; ++i) {
    for (std::int64_t j = 0; j < extents[1]; ++j) {
      for (std::int64_t k = 0; k < extents[2]; ++k) offsets.push_back(i * stride[0] + j * stride[1] + k * stride[2]);
    }
  }
  return offsets;
}

float widen_bf16(const std::byte* source) {
  std::uint16_t half;
  std::memcpy(&half, source, 2);
  const std::uint32_t bits = static_cast<std::uint32_t>(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

template <typename Stored>
Stored load_raw(const std::byte* source) {
  Stored value;
  std::memcpy(&value, source, sizeof value);
  return value;
}

// `count` elements, `stride` bytes apart.
template <typename T, typename Load>
void gather_run(const std::byte* source, Bytes stride, std::size_t count, T* target, Load load) {
  // An int8 keeps its sign in the 32 bits that sums are taken in. NOLINTNEXTLINE(bugprone-signed-char-misuse)
  for (std::size_t i = 0; i < count; ++i) target[i] = static_cast<T>(load(source + stride * static_cast<Bytes>(i)));
}

template <typename T>
void gather_typed(const std::byte* source, Bytes stride, std::size_t count, DataType type, T* target) {
  const auto small = [type](const std::byte* at) { return load_element(at, type); };
  switch (type) {
    case DataType::kBf16:
      return gather_run(source, stride, count, target, widen_bf16);
    case DataType::kFp32:
      return gather_run(source, stride, count, target, load_raw<float>);
    case DataType::kInt8:
      return gather_run(source, stride, count, target, load_raw<std::int8_t>);
    case DataType::kInt32:
      return gather_run(source, stride, count, target, load_raw<std::int32_t>);
    case DataType::kFp16:
    case DataType::kFp8E4m3:
    case DataType::kFp8E5m2:
      return gather_run(source, stride, count, target, small);
  }
}

// The flattened column index: the innermost dimension is walked by its stride.
struct ColumnRuns {
  std::vector<Bytes> starts;  // offsets of the outer column dimensions
  Bytes stride = 0;           // of the innermost
  std::size_t length = 1;
  std::size_t count() const { return starts.size() * length; }
};

ColumnRuns column_runs(const MatmulExtents& extents, const MatmulExtents& stride) {
  return {offsets_of({extents[0], extents[1], 1}, stride), stride[2], static_cast<std::size_t>(extents[2])};
}

// Checks one run of columns as a whole; strides may point backwards.
class RowSpan {
 public:
  RowSpan(const ColumnRuns& columns, Bytes element) {
    const Bytes reach = columns.stride * static_cast<Bytes>(columns.length - 1);
    below_ = std::max<Bytes>(-reach, 0);
    bytes_ = std::max<Bytes>(reach, 0) + below_ + element;
  }
  // The run's first element, `offset` from the operand's address.
  std::byte* first(const MatmulOperand& operand, Bytes offset, CoreMemory& memory) const {
    return memory.at(operand.space, operand.address + offset - below_, bytes_) + below_;
  }

 private:
  Bytes below_ = 0, bytes_ = 0;
};

template <typename T>
std::vector<T> gather(const MatmulOperand& operand, const std::vector<Bytes>& rows, const ColumnRuns& columns,
                      DataType type, CoreMemory& memory) {
  std::vector<T> values(rows.size() * columns.count());
  T* target = values.data();
  const RowSpan span(columns, bytes_of(type));
  for (const Bytes row : rows) {
    for (const Bytes start : columns.starts) {
      const std::byte* source = span.first(operand, row + start, memory);
      gather_typed(source, columns.stride, columns.length, type, target);
      target += columns.length;
    }
  }
  return values;
}

template <typename Stored, typename T>
void scatter(const std::vector<T>& values, const MatmulOperand& operand, const std::vector<Bytes>& rows,
             const ColumnRuns& columns, CoreMemory& memory) {
  const T* source = values.data();
  const RowSpan span(columns, static_cast<Bytes>(sizeof(Stored)));
  for (const Bytes row : rows) {
    for (const Bytes start : columns.starts) {
      std::byte* target = span.first(operand, row + start, memory);
      for (std::size_t i = 0; i < columns.length; ++i, ++source, target += columns.stride) {
        const auto value = static_cast<Stored>(*source);
        std::memcpy(target, &value, sizeof value);
      }
    }
  }
}

// c[m][n] += a[m][k] * b[k][n], four rows of B at a time; every element is summed in the order of k.
template <typename T>
void multiply(const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& c, std::size_t m, std::size_t n,
              std::size_t k) {
  for (std::size_t i = 0; i < m; ++i) {
    T* row = &c[i * n];
    const T* left = &a[i * k];
    std::size_t p = 0;
    for (; p + 4 <= k; p += 4) {
      const T a0 = left[p], a1 = left[p + 1], a2 = left[p + 2], a3 = left[p + 3];
      const T *b0 = &b[p * n], *b1 = b0 + n, *b2 = b1 + n, *b3 = b2 + n;
      for (std::size_t j = 0; j < n; ++j) row[j] = (((row[j] + a0 * b0[j]) + a1 * b1[j]) + a2 * b2[j]) + a3 * b3[j];
    }
    for (; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) row[j] += left[p] * b[p * n + j];
    }
  }
}

// The same where rows of A have `zeros` that do no work: zeros meet no element of B, be it an infinity. UserError where
// a row has fewer.
template <typename T>
void multiply_without_zeros(const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& c, std::size_t m,
                            std::size_t n, std::size_t k, std::int64_t zeros) {
  for (std::size_t i = 0; i < m; ++i) {
    const T *left = &a[i * k], *end = left + k;
    if (const auto found = std::count(left, end, T{}); found < zeros)
      throw UserError("matmul", fmt::format("row {} of A has {} zeros, the instruction says {}", i, found, zeros));
    T* row = &c[i * n];
    const T* right = b.data();
    for (; left != end; ++left, right += n) {
      if (*left == T{}) continue;
      for (std::size_t j = 0; j < n; ++j) row[j] += *left * right[j];
    }
  }
}

// T is the type sums are kept in: float, or uint32_t standing for int32 that wraps.
template <typename T, typename Stored>
void run(const Matmul& matmul, CoreMemory& memory) {
  const std::vector<Bytes> a_rows = offsets_of(matmul.m, matmul.a.row_stride);
  const std::vector<Bytes> b_rows = offsets_of(matmul.k, matmul.b.row_stride);
  const std::vector<Bytes> c_rows = offsets_of(matmul.m, matmul.c.row_stride);
  const ColumnRuns a_columns = column_runs(matmul.k, matmul.a.column_stride);
  const ColumnRuns b_columns = column_runs(matmul.n, matmul.b.column_stride);
  const ColumnRuns c_columns = column_runs(matmul.n, matmul.c.column_stride);
  const auto a = gather<T>(matmul.a, a_rows, a_columns, matmul.type, memory);
  const auto b = gather<T>(matmul.b, b_rows, b_columns, matmul.type, memory);
  std::vector<T> c(c_rows.size() * c_columns.count());
  if (matmul.accumulate) c = gather<T>(matmul.c, c_rows, c_columns, accumulator_type(matmul.type), memory);
  const std::size_t m = c_rows.size(), n = c_columns.count(), k = a_columns.count();
  if (matmul.zeros > 0)
    multiply_without_zeros(a, b, c, m, n, k, matmul.zeros);
  else
    multiply(a, b, c, m, n, k);
  scatter<Stored>(c, matmul.c, c_rows, c_columns, memory);
}

}  // namespace

void execute_matmul(const Matmul& matmul, CoreMemory& memory) {
  if (accumulator_type(matmul.type) == DataType::kInt32) {
    run<std::uint32_t, std::int32_t>(matmul, memory);
  } else {
    run<float, float>(matmul, memory);
  }
}

}  // namespace tilewright
