#include "planner/ir/spill.h"

#include <algorithm>

namespace tilewright {
namespace {

// Whole tiles that fit what lies behind `used` bytes of a buffer.
std::int64_t tiles_behind(Address used, Bytes buffer, Bytes tile) {
  return std::max<std::int64_t>(0, (buffer - used) / tile);
}

}  // namespace

Address spilled_at_a(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  return round_up(buffer_a_bytes(t, shape, limits), limits.acc_element);
}

Address spilled_at_b(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  return round_up(buffer_b_bytes(t, shape, limits), limits.acc_element);
}

std::optional<Spill> spill_of(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const Bytes room = limits.acc_buffer_max - epilogue_bytes(t, limits);
  if (!limits.may_spill || !t.need_splitk || t.partition_m * t.partition_n * limits.acc_element <= room) return {};
  const std::int64_t together = shape.conv ? shape.conv->together : 1;
  const ColumnBox partition = box_of(columns_of(shape), t.partition_n, together);
  const ColumnBox tile = box_of(partition, t.tile_n, together);
  Spill spill{.turns = limits.buffering, .tile = t.tile_m * tile.count() * limits.acc_element};
  spill.kept = room / spill.tile - spill.turns;
  if (spill.kept < 0) return {};
  const std::int64_t tiles = ceil_div(t.partition_m, t.tile_m) * boxes_in(partition, tile);
  const std::int64_t spilled = std::max<std::int64_t>(0, tiles - spill.kept);
  spill.in_a = std::min(spilled, tiles_behind(spilled_at_a(t, shape, limits), limits.b_s1, spill.tile));
  spill.in_b = spilled - spill.in_a;
  if (spill.in_b > tiles_behind(spilled_at_b(t, shape, limits), limits.b_s2, spill.tile)) return {};
  return spill;
}

Bytes spilled_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const auto spill = spill_of(t, shape, limits);
  return spill ? spill->tiles() * spill->tile : 0;
}

double spill_wait(const Tiling& t, const TilingLimits& limits) {
  if (t.spilled == 0) return 0;
  return static_cast<double>(limits.b_s1 + limits.b_s2) / limits.buffering / (limits.mata_bw + limits.matb_bw);
}

}  // namespace tilewright
