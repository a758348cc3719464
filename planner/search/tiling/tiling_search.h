// Search for the tiling of one operator: bounds order and prune the space, measurements decide.
//
// The planner's own tiling and that of the closed formulas alone are measured first and have to be beaten, then the
// points nearest to them. Then points are measured in rounds whose composition depends on the results of the rounds
// before alone, never on timing or the number of workers:
//   exhaustive  every legal point whose bound is below the best cost so far, best bound first: at the end the best is
//               the optimum of the space
//   bounded     at most `budget` measurements: one half of each round by bound, the other among the neighbours of the
//               best point so far (points that differ in one coordinate)
// Ties go to the point measured first.
#pragma once

#include <optional>
#include <set>

#include "planner/search/tiling/tiling_measurer.h"
#include "planner/search/tiling/tiling_scan.h"

namespace tilewright {

struct SearchOptions {
  Objective objective = Objective::kCycles;
  bool exhaustive = false;
  std::int64_t budget = 200;  // measurements besides the planner's own tiling; bounded mode
  int round = 32;             // points measured before the next are chosen
  std::int64_t early = 16;    // measurements after which the best cost is noted; at most `round`
};

// How an operator is run, and what that came to.
struct TilingOutcome {
  TriedPoint point;
  Cost cost;
  Bytes accumulator = 0;  // largest share of the accumulate buffer that a core's tiling takes
};

struct SearchResult {
  TilingOutcome closed_form, planned, best;  // formulas alone; as the planner does by itself; best of all
  Cost early;                                // the best after SearchOptions::early measurements
  std::optional<TilingPoint> best_point;     // best of the points: what a database can keep; none: all were refused
  Cost best_point_cost;
  std::int64_t space = 0;
  FilterCounts removed{};
  std::int64_t bounds = 0, measured = 0, refused = 0;  // measured: the planner's own tiling included
  std::int64_t left = 0;                               // legal points below the best cost that were not measured
  bool proven() const { return left == 0; }            // nothing in the space is better
};

class TilingSearch {
 public:
  // Measured costs of the planner's own tiling and of that of the closed formulas. `starts`: points to measure before
  // any other.
  TilingSearch(const TilingProblem& problem, const SearchOptions& options, const Cost& planned, const Cost& formulas,
               std::vector<TilingPoint> starts);

  // Points to measure next; none: the search is over.
  std::vector<TriedPoint> next();
  // Their costs, in that order.
  void report(const std::vector<PointCost>& costs);

  // Everything but the outcomes of the planner's own tiling and of the closed formulas, and of the best its cost alone.
  SearchResult result() const;

 private:
  bool worth(const TilingCandidate& candidate) const { return candidate.bound < best_value_; }
  std::size_t room() const;
  void take_starts();
  void take_by_bound(std::size_t most);
  void take_neighbours(std::size_t most);
  std::vector<TilingCandidate> neighbours(const TilingSpace::Place& place) const;
  void add_line(std::vector<TilingCandidate>& found, TilingSpace::Place place) const;
  std::int64_t count_left() const;

  const TilingProblem problem_;
  const SearchOptions options_;
  const TilingSpace space_;
  TilingScan scan_;
  std::size_t next_candidate_ = 0;
  const std::vector<TilingPoint> starts_;
  std::set<std::int64_t> tried_;
  std::vector<TilingPoint> round_;  // under way
  std::optional<TilingPoint> best_;
  Cost best_point_cost_;
  TriedPoint best_tried_;  // best of all
  Cost best_cost_, early_cost_;
  double best_value_;
  std::int64_t measured_ = 1, refused_ = 0;
};

// Called after each round with the measurements done and those that are at most to come.
using SearchProgress = std::function<void(std::int64_t done, std::int64_t most)>;

// UserError when the planner itself cannot tile the operator on this chip.
SearchResult search_tiling(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                           const SearchOptions& options, const SearchProgress& progress = {});
SearchResult search_tiling(TilingMeasurer& measurer, const Hardware& hardware, const OperatorShape& shape,
                           const SearchOptions& options);

}  // namespace tilewright
