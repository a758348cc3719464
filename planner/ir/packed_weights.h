// Weights as whole numbers of 8 or 4 bits with a scale for each column and group of rows (OpKind::kMatMulNBits): what a
// range of K takes of their bytes and of their scales.
#pragma once

#include <optional>

#include "planner/ir/plan.h"
#include "planner/ir/range.h"

namespace tilewright {

struct PackedWeights {
  std::int64_t bits = 8, group = 1;
  Bytes scale = 2;  // one of them

  // Rows of bytes, and of scales, that rows `k` of the weights are made from.
  Range rows(Range k) const { return {k.begin * bits / 8, ceil_div(k.end * bits, std::int64_t{8})}; }
  Range groups(Range k) const { return {k.begin / group, ceil_div(k.end, group)}; }

  // Bytes of `depth` rows from the first on, and a place for those of any `depth` rows: bytes, then scales.
  Bytes bytes(std::int64_t columns, std::int64_t depth) const {
    return columns * (rows({0, depth}).size() + groups({0, depth}).size() * scale);
  }
  Bytes scales_at(std::int64_t columns, std::int64_t depth) const;
  Bytes place(std::int64_t columns, std::int64_t depth) const;
};

// Nothing for operators of other kinds.
std::optional<PackedWeights> packed_weights(const Plan& plan, const Operator& op);

}  // namespace tilewright
