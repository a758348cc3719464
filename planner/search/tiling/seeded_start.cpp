#include "planner/search/tiling/seeded_start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "planner/passes/tile/tiling_choice.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

double doublings(std::int64_t a, std::int64_t b) {
  return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
}

double parts_apart(const TilingPoint& a, const TilingPoint& b) {
  return doublings(a.parts_batch, b.parts_batch) + doublings(a.parts_m, b.parts_m) + doublings(a.parts_n, b.parts_n);
}

int orders_apart(const TilingPoint& a, const TilingPoint& b) {
  return int{a.outer_rowmajor != b.outer_rowmajor} + int{a.inner_rowmajor != b.inner_rowmajor} +
         int{a.a_stationary != b.a_stationary};
}

class NearestLegal {
 public:
  NearestLegal(const TilingSpace& space, const TilingProblem& problem, const TilingPoint& wanted)
      : space_(space), problem_(problem), wanted_(wanted) {}

  std::optional<TilingPoint> find() const {
    for (const std::size_t block : by_parts())
      if (const auto place = nearest_sizes(block)) return nearest_order(*place);
    return {};
  }

 private:
  std::vector<std::size_t> by_parts() const {
    std::vector<std::size_t> blocks(space_.blocks().size());
    std::iota(blocks.begin(), blocks.end(), std::size_t{0});
    const auto apart = [&](std::size_t block) { return parts_apart(space_.blocks()[block].parts, wanted_); };
    std::stable_sort(blocks.begin(), blocks.end(), [&](auto a, auto b) { return apart(a) < apart(b); });
    return blocks;
  }

  std::vector<double> apart(const std::vector<StepAndTile>& pairs, std::int64_t step, std::int64_t tile) const {
    std::vector<double> distances;
    for (const StepAndTile& pair : pairs) distances.push_back(doublings(pair.step, step) + doublings(pair.tile, tile));
    return distances;
  }

  // In the first order, which no filter takes for a repetition.
  std::optional<TilingSpace::Place> nearest_sizes(std::size_t number) const {
    const TilingSpace::Block& block = space_.blocks()[number];
    if (block.idle_cores) return {};
    const std::vector<double> m_apart = apart(block.m, wanted_.partition_m, wanted_.tile_m);
    const std::vector<double> n_apart = apart(block.n, wanted_.partition_n, wanted_.tile_n);
    std::optional<TilingSpace::Place> nearest;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < block.k.size(); ++k) {
      check_stop();
      const double k_apart = doublings(block.k[k], wanted_.partition_k);
      for (std::size_t m = 0; m < block.m.size(); ++m)
        for (std::size_t n = 0; n < block.n.size(); ++n) {
          const double distance = k_apart + m_apart[m] + n_apart[n];
          const TilingSpace::Place place{number, k, m, n, 0};
          if (distance < least && !refusal_of(space_, problem_, place)) nearest = place, least = distance;
        }
    }
    return nearest;
  }

  TilingPoint nearest_order(TilingSpace::Place place) const {
    TilingPoint nearest = space_.point(place);
    for (place.order = 1; place.order < space_.orders(); ++place.order) {
      const TilingPoint point = space_.point(place);
      if (orders_apart(point, wanted_) < orders_apart(nearest, wanted_) && !refusal_of(space_, problem_, place))
        nearest = point;
    }
    return nearest;
  }

  const TilingSpace& space_;
  const TilingProblem& problem_;
  const TilingPoint& wanted_;
};

// Whether the chip can run a point that need not be one of the space, with every core busy.
bool runs_as_it_is(const TilingSpace& space, const Plan& plan, OperatorId op, const TilingPoint& point) {
  if (point.a_stationary && space.orders() <= 4) return false;  // a choice that the array does not have
  const auto busy_with_parts = [&](const TilingSpace::Block& block) {
    const TilingPoint& parts = block.parts;
    return !block.idle_cores && parts.parts_batch == point.parts_batch && parts.parts_m == point.parts_m &&
           parts.parts_n == point.parts_n;
  };
  return std::any_of(space.blocks().begin(), space.blocks().end(), busy_with_parts) &&
         check_choice(choice_of(point, plan, op), plan).empty();
}

bool is_known(const TilingStart& start, const TilingPoint& point) {
  const auto same = [&](const auto& known) { return known.first == point; };
  return std::any_of(start.known.begin(), start.known.end(), same) ||
         std::find(start.near.begin(), start.near.end(), point) != start.near.end();
}

}  // namespace

std::optional<TilingPoint> nearest_legal(const TilingSpace& space, const TilingProblem& problem,
                                         const TilingPoint& point) {
  return NearestLegal(space, problem, point).find();
}

void add_seeds(TilingStart& start, const Hardware& hardware, const TilingOperator& op, const SearchOptions& options) {
  if (options.seeds.empty()) return;
  const Plan plan = tiled_plan(op, hardware, {.refine = false});
  const TilingProblem problem = tiling_problem(plan, op.op);
  const TilingSpace space(problem);
  const double best = std::min(value_of(start.planned, options.objective), value_of(start.formulas, options.objective));
  for (const TilingPoint& seed : options.seeds) {
    if (std::ssize(start.near) >= options.budget) return;
    const auto point = runs_as_it_is(space, plan, op.op, seed) ? seed : nearest_legal(space, problem, seed);
    if (!point || is_known(start, *point)) continue;
    if (value_of(tiling_bound(problem, *point), options.objective) < best) start.near.push_back(*point);
  }
}

}  // namespace tilewright
