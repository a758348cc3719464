#include "planner/search/tiling/tiling_scan.h"

#include <algorithm>

#include "planner/ir/spill.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

Tiling sizes_of(const TilingPoint& p, const GemmShape& shape) {
  Tiling t;
  t.partition_m = p.partition_m, t.partition_n = p.partition_n, t.partition_k = p.partition_k;
  t.tile_m = p.tile_m, t.tile_n = p.tile_n;
  t.need_splitk = p.partition_k < shape.k;
  return t;
}

bool fits_a(const TilingProblem& p, const GemmShape& s, const TilingPoint& point) {
  return buffer_a_bytes(sizes_of(point, s), s, p.limits) <= p.limits.b_s1;
}
bool fits_b(const TilingProblem& p, const GemmShape& s, const TilingPoint& point) {
  return buffer_b_bytes(sizes_of(point, s), s, p.limits) <= p.limits.b_s2;
}
bool fits_accumulator(const TilingProblem& p, const GemmShape& s, const TilingPoint& point) {
  const Tiling sizes = sizes_of(point, s);
  if (p.only_spilled && spilled_bytes(sizes, s, p.limits) == 0) return false;
  return accumulator_bytes(sizes, s, p.limits) <= p.limits.acc_buffer_max;
}

// An order of one step is no order: the first of its two values stands for both.
bool repeats_another(const GemmShape& s, const TilingPoint& p) {
  const bool one_partition = p.partition_m >= s.m || p.partition_n >= s.n;
  const bool one_tile = p.tile_m >= p.partition_m || p.tile_n >= p.partition_n;
  return (one_partition && !p.outer_rowmajor) || (one_tile && p.inner_rowmajor);
}

class Scanner {
 public:
  Scanner(const TilingSpace& space, const TilingProblem& problem, Objective objective, double limit, std::int64_t most)
      : space_(space), problem_(problem), objective_(objective), limit_(limit), most_(static_cast<std::size_t>(most)) {}

  TilingScan run() {
    for (std::size_t b = 0; b < space_.blocks().size(); ++b) scan_block(b);
    std::sort(found_.candidates.begin(), found_.candidates.end());
    if (most_ > 0 && found_.candidates.size() > most_) drop_worst();
    return std::move(found_);
  }

 private:
  void remove(TilingFilter filter, std::size_t points) {
    found_.removed[static_cast<int>(filter)] += static_cast<std::int64_t>(points);
  }

  void scan_block(std::size_t b) {
    const TilingSpace::Block& block = space_.blocks()[b];
    const auto orders = static_cast<std::size_t>(space_.orders());
    if (block.idle_cores) {
      remove(TilingFilter::kIdleCores, block.k.size() * block.m.size() * block.n.size() * orders);
      return;
    }
    std::vector<char> b_fits(block.n.size());
    for (std::size_t k = 0; k < block.k.size(); ++k) {
      check_stop();
      for (std::size_t n = 0; n < block.n.size(); ++n)
        b_fits[n] = fits_b(problem_, block.largest, space_.point({b, k, 0, n, 0}));
      for (std::size_t m = 0; m < block.m.size(); ++m) {
        check_stop();
        if (!fits_a(problem_, block.largest, space_.point({b, k, m, 0, 0}))) {
          remove(TilingFilter::kBufferA, block.n.size() * orders);
          continue;
        }
        for (std::size_t n = 0; n < block.n.size(); ++n)
          if (b_fits[n])
            scan_orders({b, k, m, n, 0}, block.largest);
          else
            remove(TilingFilter::kBufferB, orders);
      }
    }
  }

  void scan_orders(TilingSpace::Place place, const GemmShape& largest) {
    if (!fits_accumulator(problem_, largest, space_.point(place)))
      return remove(TilingFilter::kAccumulator, static_cast<std::size_t>(space_.orders()));
    const std::int64_t first = space_.number_of(place);
    // Bounds do not depend on the order of the tiles, bit 1.
    TilingBound bounds[8];
    for (place.order = 0; place.order < space_.orders(); ++place.order) {
      const TilingPoint point = space_.point(place);
      TilingBound& bound = bounds[place.order & ~2];
      if (repeats_another(largest, point)) {
        remove(TilingFilter::kSameProgram, 1);
        continue;
      }
      if (bound.cycles == 0) bound = tiling_bound(problem_, point);
      ++found_.bounds;
      const double value = value_of(bound, objective_);
      if (value >= limit_)
        remove(TilingFilter::kBound, 1);
      else
        keep({value, bound.work, first + place.order});
    }
  }

  void keep(const TilingCandidate& candidate) {
    found_.candidates.push_back(candidate);
    if (most_ > 0 && found_.candidates.size() >= 4 * most_) drop_worst();
  }

  void drop_worst() {
    const auto last = found_.candidates.begin() + static_cast<std::ptrdiff_t>(most_);
    std::nth_element(found_.candidates.begin(), last, found_.candidates.end());
    found_.dropped += found_.candidates.end() - last;
    found_.candidates.erase(last, found_.candidates.end());
    std::sort(found_.candidates.begin(), found_.candidates.end());
  }

  const TilingSpace& space_;
  const TilingProblem& problem_;
  const Objective objective_;
  const double limit_;
  const std::size_t most_;
  TilingScan found_;
};

}  // namespace

TilingScan scan(const TilingSpace& space, const TilingProblem& problem, Objective objective, double limit,
                std::int64_t most) {
  return Scanner(space, problem, objective, limit, most).run();
}

std::optional<TilingFilter> refusal_of(const TilingSpace& space, const TilingProblem& problem,
                                       const TilingSpace::Place& place) {
  const TilingSpace::Block& block = space.blocks()[place.block];
  const TilingPoint point = space.point(place);
  if (block.idle_cores) return TilingFilter::kIdleCores;
  if (!fits_a(problem, block.largest, point)) return TilingFilter::kBufferA;
  if (!fits_b(problem, block.largest, point)) return TilingFilter::kBufferB;
  if (!fits_accumulator(problem, block.largest, point)) return TilingFilter::kAccumulator;
  if (repeats_another(block.largest, point)) return TilingFilter::kSameProgram;
  return std::nullopt;
}

}  // namespace tilewright
