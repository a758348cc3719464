// One point of the space of tilings of a contraction: how it is cut over the cores and how each core tiles its part, in
// numbers that carry over to other sizes of the same operator (a longer dimension loops more often).
#pragma once

#include <string>
#include <string_view>

#include "planner/ir/plan.h"
#include "planner/ir/tiling_limits.h"

namespace tilewright {

struct TilingPoint {
  // Parts over the cores. matmul: batch, rows, columns of the result. conv: images, filters, output rows.
  std::int64_t parts_batch = 1, parts_m = 1, parts_n = 1;
  // Of one core (planner/ir/tiling.h): outer steps, inner steps, loop orders, held operand.
  std::int64_t partition_m = 1, partition_n = 1, partition_k = 1;
  std::int64_t tile_m = 1, tile_n = 1;
  bool outer_rowmajor = true, inner_rowmajor = false, a_stationary = false;
  bool operator==(const TilingPoint&) const = default;
  auto operator<=>(const TilingPoint&) const = default;
};

// "parts 1x4x2 partition 96x256x1024 tile 48x64 order mn/nm hold b"; parse reads the same, UserError naming `where`.
std::string to_string(const TilingPoint& point);
TilingPoint parse_tiling_point(std::string_view text, const std::string& where);

// The parts that `point` means, and the number of the largest of them (the first of equals).
Split split_of(const TilingPoint& point, const Plan& plan, const Operator& op);
std::size_t largest_item(const Split& split);

// The tiling that `point` means for a part; whether it fits is for check_tiling() to say.
Tiling tiling_of(const TilingPoint& point, const GemmShape& shape, const TilingLimits& limits);

// The point of what the planner chose by itself for operator `op` of a finished plan: the parts, and the tiling of the
// largest of them.
TilingPoint point_of(const Plan& plan, OperatorId op);

}  // namespace tilewright
