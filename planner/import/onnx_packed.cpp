#include "planner/import/onnx_packed.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {
namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 30;

// Numbers in two's complement, `bits` of each: [depth, columns], or nothing where they are made up.
struct Numbers {
  std::int64_t depth = 0, columns = 0, bits = 8;
  std::optional<std::vector<double>> values;

  std::int64_t rows() const { return ceil_div(depth * bits, std::int64_t{8}); }
};

// As an int8 tensor holds them: of 4 bits two rows in each.
std::optional<std::vector<double>> bytes_of(const Numbers& numbers) {
  if (!numbers.values || numbers.bits == 8) return numbers.values;
  std::vector<double> bytes(numbers.rows() * numbers.columns, 0.0);
  for (std::int64_t k = 0; k < numbers.depth; ++k)
    for (std::int64_t n = 0; n < numbers.columns; ++n) {
      const double number = (*numbers.values)[k * numbers.columns + n];
      bytes[k / 2 * numbers.columns + n] += k % 2 == 1 ? 16 * number : number < 0 ? number + 16 : number;
    }
  return bytes;
}

TensorId packed_product(OnnxBuilder& b, const OnnxNode& node, const Numbers& numbers, std::vector<double> scales,
                        std::int64_t group, double zero_point) {
  OnnxSteps s(b, node);
  const std::int64_t groups = ceil_div(numbers.depth, group);
  const TensorId bytes = b.add_constant(node, {numbers.rows(), numbers.columns}, bytes_of(numbers), int8_element());
  const TensorId factors = s.constant({groups, numbers.columns}, std::move(scales), float_element());
  return s.op(OpKind::kMatMulNBits, {b.input(node, 0), bytes, factors},
              {.zero_point = zero_point, .bits = numbers.bits, .group_size = group});
}

template <typename T>
std::vector<T> transposed(const std::vector<T>& rows, std::int64_t columns) {
  std::vector<T> result;
  result.reserve(rows.size());
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::size_t i = static_cast<std::size_t>(j); i < rows.size(); i += static_cast<std::size_t>(columns))
      result.push_back(rows[i]);
  return result;
}

// What the numbers of the file are more than those in two's complement: uint8 and uint4 count from zero.
double above_signed(ValueType type, std::int64_t bits) {
  return type == ValueType::kUint8 ? static_cast<double>(std::int64_t{1} << (bits - 1)) : 0.0;
}

class StoredProduct {
 public:
  StoredProduct(OnnxBuilder& b, const OnnxNode& node, const OnnxStoredWeights& stored, bool transposed)
      : b_(b), node_(node), stored_(stored), transposed_(transposed) {
    const Tensor& values = b.graph.tensor(stored.values);
    numbers_.bits = b.four_bits.contains(stored.values) ? 4 : 8;
    numbers_.depth = values.shape[transposed ? 1 : 0], numbers_.columns = values.shape[transposed ? 0 : 1];
  }

  std::optional<TensorId> run() {
    const std::int64_t along_k = transposed_ ? 1 : 0;
    const bool each_row = stored_.scales.size() > 1 && stored_.axis == along_k;
    if (each_row ? stored_.block == 0 : stored_.block > 0) return std::nullopt;
    const std::int64_t group = each_row ? stored_.block : numbers_.depth;
    const Tensor& values = b_.graph.tensor(stored_.values);
    const double above = above_signed(*values.value_type, numbers_.bits);
    if (values.data) {
      numbers_.values = transposed_ ? transposed(*values.data, numbers_.depth) : *values.data;
      for (double& value : *numbers_.values) value -= above;
    }
    return packed_product(b_, node_, numbers_, scales(group), group, stored_.zero_point - above);
  }

 private:
  std::vector<double> scales(std::int64_t group) const {
    if (stored_.scales.size() == 1) return std::vector<double>(numbers_.columns, stored_.scales[0]);
    return transposed_ ? transposed(stored_.scales, ceil_div(numbers_.depth, group)) : stored_.scales;
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  const OnnxStoredWeights& stored_;
  const bool transposed_;
  Numbers numbers_;
};

// com.microsoft's MatMulNBits: B [N, groups, bytes of a group], numbers without sign, the lower half of a byte first.
class BlockedProduct {
 public:
  BlockedProduct(OnnxBuilder& b, const OnnxNode& node) : b_(b), node_(node) {
    numbers_.depth = node.integer("K", 0), numbers_.columns = node.integer("N", 0);
    numbers_.bits = node.integer("bits", 4);
    group_ = node.integer("block_size", 0);
    for (const std::int64_t size : {numbers_.depth, numbers_.columns, group_})
      if (size < 1 || size > kMostRows) node.fail("K, N and block_size are from 1 to 2^30");
    if (numbers_.bits != 4 && numbers_.bits != 8) node.fail(fmt::format("bits {}, expected 4|8", numbers_.bits));
    groups_ = ceil_div(numbers_.depth, group_);
    each_ = ceil_div(group_ * numbers_.bits, std::int64_t{8});
    if (node.has_input(4)) node.fail("an order of the rows (g_idx) is not supported");
  }

  void run() {
    OnnxSteps s(b_, node_);
    expect_elements(1, numbers_.columns * groups_ * each_);
    expect_elements(2, numbers_.columns * groups_);
    if (const auto bytes = b_.known(b_.input(node_, 1))) numbers_.values = numbers_in(*bytes);
    const auto scales = transposed(b_.values(node_, 2), groups_);
    const TensorId product = packed_product(b_, node_, numbers_, scales, group_, zero_point());
    s.finish(node_.has_input(5) ? s.add(product, b_.input(node_, 5)) : product);
  }

 private:
  double half() const { return static_cast<double>(std::int64_t{1} << (numbers_.bits - 1)); }

  void expect_elements(int index, std::int64_t count) const {
    if (const std::int64_t got = element_count(b_.shape(node_, index)); got != count)
      node_.fail(fmt::format("input {} has {} elements, expected {}", index, got, count));
  }

  // Number `i` of those that begin at byte `first`.
  double number(const std::vector<double>& bytes, std::int64_t first, std::int64_t i) const {
    if (numbers_.bits == 8) return bytes[first + i];
    const auto byte = static_cast<int>(bytes[first + i / 2]);
    return i % 2 == 1 ? byte / 16 : byte % 16;
  }

  std::vector<double> numbers_in(const std::vector<double>& bytes) const {
    std::vector<double> values;
    values.reserve(numbers_.depth * numbers_.columns);
    for (std::int64_t k = 0; k < numbers_.depth; ++k)
      for (std::int64_t n = 0; n < numbers_.columns; ++n)
        values.push_back(number(bytes, (n * groups_ + k / group_) * each_, k % group_) - half());
    return values;
  }

  // The same for all groups and columns; as the numbers' in two's complement.
  double zero_point() const {
    if (!node_.has_input(3)) return 0;
    const std::int64_t row = ceil_div(groups_ * numbers_.bits, std::int64_t{8});
    expect_elements(3, numbers_.columns * row);
    const std::vector<double> bytes = b_.values(node_, 3);
    const double first = number(bytes, 0, 0);
    for (std::int64_t n = 0; n < numbers_.columns; ++n)
      for (std::int64_t g = 0; g < groups_; ++g)
        if (number(bytes, n * row, g) != first)
          node_.fail("zero points that differ between groups or columns are not supported");
    return first - half();
  }

  OnnxBuilder& b_;
  const OnnxNode& node_;
  Numbers numbers_;
  std::int64_t group_ = 0, groups_ = 0, each_ = 0;  // rows of a group, groups, bytes of a group of one column
};

void matmul_n_bits(OnnxBuilder& b, const OnnxNode& node) { BlockedProduct(b, node).run(); }

constexpr OnnxConversion kPacked[] = {{"MatMulNBits", matmul_n_bits}};

}  // namespace

std::optional<TensorId> packed_product(OnnxBuilder& b, const OnnxNode& node, bool transposed) {
  const auto stored = b.stored_weights.find(b.input(node, 1));
  const Tensor& x = b.graph.tensor(b.input(node, 0));
  if (stored == b.stored_weights.end() || b.rank(node, 1) != 2 || x.shape.size() < 2 || x.is_index) return std::nullopt;
  if (b.quantises || x.kind == TensorKind::kConstant) return std::nullopt;
  return StoredProduct(b, node, stored->second, transposed).run();
}

std::span<const OnnxConversion> onnx_packed_operators() { return kPacked; }

}  // namespace tilewright
