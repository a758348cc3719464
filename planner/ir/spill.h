// Sums of a product that wait in the input buffers. With split K every tile of a partition has a place for its sums in
// the accumulate buffer from one step of K to the next. Where a partition has more tiles than that holds, the rest lie
// behind the operands in buffers A and B: of such a tile each step's product is formed in one of a few places of the
// accumulate buffer that take turns, and the vector unit adds it to what lies there, in fp32. Larger partitions read
// each operand less often.
//
// The sums of a long reduction are kept so where the memory next to the array is small: AWS Trainium's accumulate in
// PSUM, and those of several passes add up in SBUF (NKI, matrix multiplication tutorial).
#pragma once

#include <optional>

#include "planner/ir/tiling_limits.h"

namespace tilewright {

// Tiles are counted in the order of their places: column of tiles by column.
struct Spill {
  std::int64_t kept = 0;            // tiles that stay in the accumulate buffer
  std::int64_t in_a = 0, in_b = 0;  // tiles behind them: in buffer A, then in buffer B
  std::int64_t turns = 0;           // places in the accumulate buffer for the products of these
  Bytes tile = 0;                   // bytes of a place

  std::int64_t tiles() const { return in_a + in_b; }
  Bytes in_accumulator() const { return (kept + turns) * tile; }
};

// Nothing where the accumulate buffer holds all sums of a partition, or where the input buffers have no room for those
// that it does not hold.
std::optional<Spill> spill_of(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
Bytes spilled_bytes(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

// Core clocks that the first loads of the next operator may have to wait because these sums lie in the input buffers to
// the end: what half of the buffers hold, the other half being used anyway. 0 where none lie there.
double spill_wait(const Tiling& tiling, const TilingLimits& limits);

// Where they begin: behind all that the operands take.
Address spilled_at_a(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
Address spilled_at_b(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

}  // namespace tilewright
