#include "planner/passes/tile/refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "planner/constants/constants.h"

namespace tilewright {
namespace {

std::int64_t half(std::int64_t value, std::int64_t block) {
  return std::min(value, round_up(ceil_div<std::int64_t>(value, 2), block));
}

class Neighbours {
 public:
  Neighbours(const Tiling& tiling, const PredictionInput& input) : at_(tiling), in_(input) {
    const GemmShape& s = input.part.shape();
    const TilingLimits& l = input.limits;
    lengths(&Tiling::tile_m, s.m, l.block_size_m);
    lengths(&Tiling::tile_n, s.n, s.conv ? row() : l.block_size_n);
    lengths(&Tiling::partition_m, s.m, l.block_size_m);
    lengths(&Tiling::partition_n, s.n, s.conv ? row() : l.block_size_n);
    lengths(&Tiling::partition_k, s.k, in_.hardware.core.matmul.rows * (s.conv ? s.conv->kernel() : 1));
    both(&Tiling::partition_m, &Tiling::tile_m, s.m, l.block_size_m);
    both(&Tiling::partition_n, &Tiling::tile_n, s.n, s.conv ? row() : l.block_size_n);
    flips();
  }

  const std::vector<Tiling>& all() const { return found_; }

 private:
  // Outputs of a convolution that are not cut apart while there are more of them.
  std::int64_t row() const {
    const Columns& c = in_.part.columns();
    return c.column.size() * std::min(c.together, c.image.size());
  }

  void add(Tiling t) {
    const GemmShape& s = in_.part.shape();
    t.tile_m = std::min(t.tile_m, t.partition_m), t.tile_n = std::min(t.tile_n, t.partition_n);
    derive(t, s, in_.limits);
    if (t != at_ && check_tiling(t, s, in_.limits).empty()) found_.push_back(t);
  }

  void lengths(std::int64_t Tiling::*length, std::int64_t whole, std::int64_t block) {
    const std::int64_t now = at_.*length;
    for (const std::int64_t next : {half(now, block), now + block, 2 * now}) {
      Tiling t = at_;
      t.*length = std::min(whole, next);
      add(t);
    }
  }

  // A longer partition that stays one tile long.
  void both(std::int64_t Tiling::*partition, std::int64_t Tiling::*tile, std::int64_t whole, std::int64_t block) {
    for (const std::int64_t next : {at_.*partition + block, 2 * (at_.*partition)}) {
      Tiling t = at_;
      t.*partition = t.*tile = std::min(whole, next);
      add(t);
    }
  }

  void flips() {
    Tiling t = at_;
    t.inner_rowmajor = !t.inner_rowmajor;
    add(t);
    if (in_.hardware.core.matmul.dataflow != Dataflow::kWeightStationary) return;
    t = at_;
    t.a_stationary = !t.a_stationary;
    add(t);
  }

  const Tiling& at_;
  const PredictionInput& in_;
  std::vector<Tiling> found_;
};

struct Point {
  Tiling tiling;
  double cycles;
};

Point climb(Point best, const PredictionInput& input) {
  for (int step = 0; step < constants().refine_steps; ++step) {
    const Neighbours around(best.tiling, input);
    const Tiling* next = nullptr;
    double cycles = best.cycles * (1 - constants().refine_gain);
    for (const Tiling& t : around.all())
      if (const double predicted = predicted_cycles(input, t); predicted < cycles) next = &t, cycles = predicted;
    if (!next) break;
    best = {*next, cycles};
  }
  return best;
}

std::int64_t at_most(std::int64_t value, std::int64_t block) {
  return std::max<std::int64_t>(1, value / block) * block;
}

// C in partitions that fill the accumulate buffer, `m` rows high, over as much of K at a time as the input buffers hold
// twice.
Tiling filling(std::int64_t m, const Tiling& like, const PredictionInput& in) {
  const GemmShape& s = in.part.shape();
  const TilingLimits& l = in.limits;
  Tiling t = like;
  t.partition_m = m;
  t.partition_n = std::min(s.n, at_most(l.acc_buffer_max / (m * l.acc_element), l.block_size_n));
  const std::int64_t deep =
      std::min(l.b_s1 / l.buffering / (m * l.d_s), l.b_s2 / l.buffering / (t.partition_n * l.d_s));
  t.partition_k = std::min(s.k, at_most(deep, in.hardware.core.matmul.rows));
  t.tile_m = t.partition_m;
  t.tile_n = std::min(t.partition_n, l.block_size_n);
  derive(t, s, l);
  return t;
}

// The same for a convolution: whole groups of images where they fit, K in as few steps as the buffers allow, all of a
// partition's outputs streaming past one block of weights.
Tiling filling_conv(std::int64_t m, const Tiling& like, const PredictionInput& in) {
  const GemmShape& s = in.part.shape();
  const TilingLimits& l = in.limits;
  const ConvShape& conv = *s.conv;
  const std::int64_t together = std::clamp<std::int64_t>(conv.together, 1, conv.images);
  const std::int64_t row = conv.columns * together, images = conv.rows * row;
  const std::int64_t fit = l.acc_buffer_max / (m * l.acc_element);
  Tiling t = like;
  t.partition_m = m;
  t.partition_n = t.tile_n = std::min(s.n, at_most(fit, fit >= images ? images : row));
  t.tile_m = std::min(m, l.block_size_m);
  for (std::int64_t steps = 1; steps <= ceil_div(s.k, conv.kernel()); steps *= 2) {
    t.partition_k = std::min(s.k, round_up(ceil_div(s.k, steps), conv.kernel()));
    derive(t, s, l);
    if (buffer_a_bytes(t, s, l) <= l.b_s1 && buffer_b_bytes(t, s, l) <= l.b_s2) break;
  }
  return t;
}

// `whole`, and halves of it down to one block.
std::vector<std::int64_t> heights(std::int64_t whole, std::int64_t block) {
  std::vector<std::int64_t> found{whole};
  while (half(found.back(), block) < found.back()) found.push_back(half(found.back(), block));
  return found;
}

// The best start besides the formulas' own tiling.
std::optional<Point> best_filling(const Tiling& like, const PredictionInput& in) {
  std::optional<Point> best;
  const GemmShape& s = in.part.shape();
  for (const std::int64_t m : heights(s.m, in.limits.block_size_m)) {
    const Tiling t = s.conv ? filling_conv(m, like, in) : filling(m, like, in);
    if (!check_tiling(t, s, in.limits).empty()) continue;
    if (const double cycles = predicted_cycles(in, t); !best || cycles < best->cycles) best = {t, cycles};
  }
  return best;
}

}  // namespace

Tiling refine(const Tiling& tiling, const PredictionInput& input) {
  const GemmShape& shape = input.part.shape();
  const bool moves_in_groups = shape.batches > 1 && tiling.tile_m == shape.m && tiling.tile_n == shape.n;
  if (moves_in_groups && tiling.partition_k == shape.k) return tiling;
  const Point start{tiling, predicted_cycles(input, tiling)};
  Point best = climb(start, input);
  if (const auto other = best_filling(tiling, input))
    if (const Point top = climb(*other, input); top.cycles < best.cycles * (1 - constants().refine_gain)) best = top;
  if (best.cycles < start.cycles)
    best.tiling.reason += fmt::format("; refined, predicted {:.1f} % faster", 100 * (1 - best.cycles / start.cycles));
  return best.tiling;
}

}  // namespace tilewright
