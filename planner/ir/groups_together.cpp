#include "planner/ir/groups_together.h"

#include <algorithm>

#include "planner/constants/constants.h"

namespace tilewright {

bool covers_batch(const Tiling& t, const GemmShape& s) {
  return t.tile_m == s.m && t.tile_n == s.n && t.partition_k == s.k;
}

std::int64_t groups_together(const Contraction& part, const Tiling& t, const TilingLimits& limits) {
  const GemmShape& s = part.shape();
  if (!part.groupable() || !covers_batch(t, s)) return 1;
  const std::int64_t fit =
      std::min({limits.b_s1 / buffer_a_bytes(t, s, limits), limits.b_s2 / buffer_b_bytes(t, s, limits),
                limits.acc_buffer_max / accumulator_bytes(t, s, limits)});
  return std::clamp<std::int64_t>(s.batches / constants().batch_groups, 1, std::max<std::int64_t>(1, fit));
}

}  // namespace tilewright
