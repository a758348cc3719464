#include "planner/passes/tile/refine.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/ir/spill.h"
#include "planner/passes/tile/fillings.h"

namespace tilewright {
namespace {

class TilingNeighbours {
 public:
  TilingNeighbours(const Tiling& tiling, const PredictionInput& input) : at_(tiling), in_(input) {
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
    for (const std::int64_t next : {half(now, block), round_up(now, block), now + block, 2 * now}) {
      Tiling t = at_;
      t.*length = std::min(whole, next);
      add(t);
    }
  }

  // A longer partition that stays one tile long.
  void both(std::int64_t Tiling::*partition, std::int64_t Tiling::*tile, std::int64_t whole, std::int64_t block) {
    for (const std::int64_t next : {round_up(at_.*partition, block), at_.*partition + block, 2 * (at_.*partition)}) {
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
    const TilingNeighbours around(best.tiling, input);
    const Tiling* next = nullptr;
    double cycles = best.cycles * (1 - constants().refine_gain);
    for (const Tiling& t : around.all())
      if (const double predicted = predicted_cycles(input, t); predicted < cycles) next = &t, cycles = predicted;
    if (!next) break;
    best = {*next, cycles};
  }
  return best;
}

// Those that are predicted to be the fastest.
std::vector<Point> best_of(const std::vector<Tiling>& tilings, const PredictionInput& in) {
  std::vector<Point> found;
  for (const Tiling& t : tilings) found.push_back({t, predicted_cycles(in, t)});
  std::stable_sort(found.begin(), found.end(), [](const Point& a, const Point& b) { return a.cycles < b.cycles; });
  found.resize(std::min<std::size_t>(found.size(), static_cast<std::size_t>(constants().refine_starts)));
  return found;
}

// Where climbs from the best of `starts` end.
std::vector<Point> tops(const std::vector<Tiling>& starts, const PredictionInput& in) {
  std::vector<Point> found;
  for (const Point& start : best_of(starts, in)) found.push_back(climb(start, in));
  return found;
}

// Without sums in the input buffers.
Point best_kept(const Tiling& start, PredictionInput in) {
  in.limits = without_spill(in.limits);
  Point best = climb({start, predicted_cycles(in, start)}, in);
  for (const Point& top : tops(fillings(start, in), in))
    if (top.cycles < best.cycles * (1 - constants().refine_gain)) best = top;
  return best;
}

}  // namespace

Tiling refine(const Tiling& tiling, const PredictionInput& input) {
  const GemmShape& shape = input.part.shape();
  const bool moves_in_groups = shape.batches > 1 && tiling.tile_m == shape.m && tiling.tile_n == shape.n;
  if (moves_in_groups && tiling.partition_k == shape.k) return tiling;
  Point best = best_kept(tiling, input);
  const double most = best.cycles * (1 - constants().spill_gain);
  for (const Point& top : tops(spilled_fillings(tiling, input), input)) {
    const double wait = spill_wait(top.tiling, input.limits);
    if (wait > 0 && top.cycles + wait < std::min(most, best.cycles)) best = top;
  }
  if (const double start = predicted_cycles(input, tiling); best.cycles < start)
    best.tiling.reason += fmt::format("; refined, predicted {:.1f} % faster", 100 * (1 - best.cycles / start));
  return best.tiling;
}

}  // namespace tilewright
