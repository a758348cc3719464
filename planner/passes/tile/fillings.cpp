#include "planner/passes/tile/fillings.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace tilewright {
namespace {

std::int64_t at_most(std::int64_t value, std::int64_t block) {
  return std::max<std::int64_t>(1, value / block) * block;
}

// `value`, and halves of it down to one block.
std::vector<std::int64_t> halves(std::int64_t value, std::int64_t block) {
  std::vector<std::int64_t> found{value};
  while (half(found.back(), block) < found.back()) found.push_back(half(found.back(), block));
  return found;
}

// Blocks of outputs that are not cut apart while there are more of them: columns of the array for a product; rows of
// the outputs, or whole groups of images where the accumulate buffer holds them, for a convolution.
std::int64_t wide_block(std::int64_t fit, const PredictionInput& in) {
  const GemmShape& s = in.part.shape();
  if (!s.conv) return in.limits.block_size_n;
  const std::int64_t row = s.conv->columns * std::clamp<std::int64_t>(s.conv->together, 1, s.conv->images);
  return fit >= s.conv->rows * row ? s.conv->rows * row : row;
}

// Calls visit(m, n, rows of a low tile) for partitions whose sums take at most `sums` bytes: the widest of every
// height, and narrower ones.
template <typename Visit>
void for_each_partition(const PredictionInput& in, Bytes sums, Visit&& visit) {
  const GemmShape& s = in.part.shape();
  for (const std::int64_t m : halves(s.m, in.limits.block_size_m)) {
    const std::int64_t fit = sums / (m * in.limits.acc_element), block = wide_block(fit, in);
    for (const std::int64_t n : halves(std::min(s.n, at_most(fit, block)), block))
      visit(m, n, std::min(m, in.limits.block_size_m));
  }
}

// K of a convolution in as few steps of whole channels as the input buffers allow.
void deepest_conv(Tiling& t, const PredictionInput& in) {
  const GemmShape& s = in.part.shape();
  const std::int64_t kernel = s.conv->kernel();
  for (std::int64_t steps = 1; steps <= ceil_div(s.k, kernel); steps *= 2) {
    t.partition_k = std::min(s.k, round_up(ceil_div(s.k, steps), kernel));
    derive(t, s, in.limits);
    if (buffer_a_bytes(t, s, in.limits) <= in.limits.b_s1 && buffer_b_bytes(t, s, in.limits) <= in.limits.b_s2) return;
  }
}

// K of a product in as few even steps: whole heights of the array, or a power of two where the buffers do not hold one
// height, so that runs end with bursts.
void deepest_product(Tiling& t, const PredictionInput& in) {
  const TilingLimits& l = in.limits;
  const std::int64_t rows = in.hardware.core.matmul.rows, a = l.b_s1 / l.buffering / (t.partition_m * l.d_s),
                     b = l.b_s2 / l.buffering / (t.partition_n * l.d_s);
  const auto deep = static_cast<std::uint64_t>(std::max<std::int64_t>(1, std::min(a, b)));
  const std::int64_t most = std::cmp_less(deep, rows) ? static_cast<std::int64_t>(std::bit_floor(deep))
                                                      : at_most(static_cast<std::int64_t>(deep), rows),
                     k = in.part.shape().k, even = ceil_div(k, ceil_div(k, most));
  t.partition_k = std::min({k, most, round_up(even, std::min(most, rows))});
  derive(t, in.part.shape(), l);
}

// C in partitions of m x n over as much of K at a time as the input buffers hold: of a product strips of one block of
// columns, `tile_m` rows high; of a convolution all outputs behind one block of filters.
Tiling filling(std::int64_t m, std::int64_t n, std::int64_t tile_m, const Tiling& like, const PredictionInput& in) {
  const bool conv = in.part.shape().conv.has_value();
  Tiling t = like;
  t.partition_m = m, t.partition_n = n;
  t.tile_m = tile_m;
  t.tile_n = conv ? n : std::min(n, in.limits.block_size_n);
  conv ? deepest_conv(t, in) : deepest_product(t, in);
  return t;
}

// The same with more sums than the accumulate buffer holds, over so much less of K at a time that the rest have room in
// the input buffers; nothing where rows of a product would be read in runs shorter than a request.
std::optional<Tiling> spilling(std::int64_t m, std::int64_t n, std::int64_t tile_m, const Tiling& like,
                               const PredictionInput& in) {
  const GemmShape& s = in.part.shape();
  const std::int64_t block = s.conv ? s.conv->kernel() : in.hardware.core.matmul.rows;
  const Bytes shortest = s.conv ? 0 : in.hardware.core.dma.request_bytes;
  Tiling t = filling(m, n, tile_m, like, in);
  while (!check_tiling(t, s, in.limits).empty()) {
    const std::int64_t less = half(t.partition_k, block);
    if (less == t.partition_k || less * in.limits.d_s < shortest) return {};
    t.partition_k = less;
    derive(t, s, in.limits);
  }
  return t;
}

}  // namespace

std::int64_t half(std::int64_t value, std::int64_t block) {
  return std::min(value, round_up(ceil_div<std::int64_t>(value, 2), block));
}

std::vector<Tiling> fillings(const Tiling& like, const PredictionInput& in) {
  std::vector<Tiling> found;
  const GemmShape& s = in.part.shape();
  const auto add = [&](const Tiling& t) {
    if (check_tiling(t, s, in.limits).empty()) found.push_back(t);
  };
  for_each_partition(in, in.limits.acc_buffer_max, [&](std::int64_t m, std::int64_t n, std::int64_t low) {
    add(filling(m, n, low, like, in));
    if (!s.conv && low < m) add(filling(m, n, m, like, in));
  });
  return found;
}

std::vector<Tiling> spilled_fillings(const Tiling& like, const PredictionInput& in) {
  std::vector<Tiling> found;
  const TilingLimits& l = in.limits;
  if (!l.may_spill) return found;
  for_each_partition(in, l.acc_buffer_max + l.b_s1 + l.b_s2, [&](std::int64_t m, std::int64_t n, std::int64_t low) {
    if (m * n * l.acc_element <= l.acc_buffer_max) return;
    if (const auto t = spilling(m, n, low, like, in)) found.push_back(*t);
  });
  return found;
}

}  // namespace tilewright
