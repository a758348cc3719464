// Operands are gathered once into plain arrays; then rows of C are summed in loops that compilers vectorise.
#include <cstring>
#include <type_traits>
#include <vector>

#include "sim/base/error.h"
#include "sim/model/execute.h"

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

template <typename T>
T load_as(const std::byte* source, DataType type) {
  if (type == DataType::kBf16) {
    std::uint16_t half;
    std::memcpy(&half, source, 2);
    const std::uint32_t bits = static_cast<std::uint32_t>(half) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return static_cast<T>(value);
  }
  if (type == DataType::kFp32) {
    float value;
    std::memcpy(&value, source, 4);
    return static_cast<T>(value);
  }
  if constexpr (std::is_unsigned_v<T>) return static_cast<T>(static_cast<std::int32_t>(load_element(source, type)));
  return static_cast<T>(load_element(source, type));
}

// The operand as a dense row-major array of `rows` x `columns` offsets.
template <typename T>
std::vector<T> gather(const MatmulOperand& operand, const std::vector<Bytes>& rows, const std::vector<Bytes>& columns,
                      DataType type, CoreMemory& memory) {
  std::vector<T> values;
  values.reserve(rows.size() * columns.size());
  const Bytes element = bytes_of(type);
  for (const Bytes row : rows) {
    for (const Bytes column : columns) {
      values.push_back(load_as<T>(memory.at(operand.space, operand.address + row + column, element), type));
    }
  }
  return values;
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

// T is the type sums are kept in: float, or uint32_t standing for int32 that wraps.
template <typename T, typename Stored>
void run(const Matmul& matmul, CoreMemory& memory) {
  const auto a_rows = offsets_of(matmul.m, matmul.a.row_stride),
             a_columns = offsets_of(matmul.k, matmul.a.column_stride);
  const auto b_rows = offsets_of(matmul.k, matmul.b.row_stride),
             b_columns = offsets_of(matmul.n, matmul.b.column_stride);
  const auto c_rows = offsets_of(matmul.m, matmul.c.row_stride),
             c_columns = offsets_of(matmul.n, matmul.c.column_stride);
  const std::size_t m = c_rows.size(), n = c_columns.size(), k = a_columns.size();
  const DataType sum_type = accumulator_type(matmul.type);
  const auto a = gather<T>(matmul.a, a_rows, a_columns, matmul.type, memory);
  const auto b = gather<T>(matmul.b, b_rows, b_columns, matmul.type, memory);
  std::vector<T> c(m * n);
  if (matmul.accumulate) c = gather<T>(matmul.c, c_rows, c_columns, sum_type, memory);
  multiply(a, b, c, m, n, k);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto value = static_cast<Stored>(c[i * n + j]);
      std::memcpy(memory.at(matmul.c.space, matmul.c.address + c_rows[i] + c_columns[j], sizeof value), &value,
                  sizeof value);
    }
  }
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
