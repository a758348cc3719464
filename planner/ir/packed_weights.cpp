#include "planner/ir/packed_weights.h"

#include <algorithm>

namespace tilewright {
namespace {

constexpr Bytes kAlignment = 4;  // of the widest scale

}  // namespace

// Rows that begin in the middle of a byte or of a group reach into one more.
Bytes PackedWeights::scales_at(std::int64_t columns, std::int64_t depth) const {
  const std::int64_t most = bits == 8 ? depth : depth / 2 + 1;
  return round_up(columns * most, kAlignment);
}

Bytes PackedWeights::place(std::int64_t columns, std::int64_t depth) const {
  const std::int64_t most = ceil_div(depth, group) + 1;
  return scales_at(columns, depth) + round_up(columns * most * scale, kAlignment);
}

std::optional<PackedWeights> packed_weights(const Plan& plan, const Operator& op) {
  if (op.kind != OpKind::kMatMulNBits) return std::nullopt;
  const Tensor& scales = plan.graph.tensor(op.inputs[2]);
  const std::int64_t depth = plan.graph.tensor(op.inputs[0]).shape.back();
  return PackedWeights{op.attributes.bits, std::min(op.attributes.group_size, depth),
                       bytes_of(stored_type(scales, plan.options.type))};
}

}  // namespace tilewright
