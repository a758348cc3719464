// Search for the tiling of one operator: bounds prune the space, expected costs order it, measurements decide.
//
// The planner's own tiling and that of the closed formulas alone are measured first and have to be beaten. Then points
// are measured in rounds whose composition depends on the results of the rounds before alone, never on timing or the
// number of workers:
//   exhaustive  every legal point whose bound is below the best cost so far, best bound first: at the end the best is
//               the optimum of the space
//   bounded     at most `budget` measurements of the points that promise most (tiling_model.h), of those whose bound
//               is among the lowest and below the best cost so far. A search of a smaller budget is the beginning of
//               one of a larger
// Ties go to the point measured first.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "planner/search/tiling/tiling_measurer.h"
#include "planner/search/tiling/tiling_model.h"

namespace tilewright {

struct SearchOptions {
  Objective objective = Objective::kCycles;
  bool exhaustive = false;
  std::int64_t budget = 200;  // measurements besides those of the planner's own tiling and of the formulas; bounded
  std::int64_t early = 16;    // measurements after which the best cost is noted
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
  std::int64_t bounds = 0, measured = 0, refused = 0;  // measured: points of the space
  std::int64_t left = 0;                               // legal points below the best cost that were not measured
  bool proven() const { return left == 0; }            // nothing in the space is better
};

// What the search starts from: the planner's own tiling and that of the formulas, measured. As points where points can
// say them; else (say, when the planner adds up partial results of several cores) the nearest points, to be measured.
struct TilingStart {
  Cost planned, formulas;
  std::vector<std::pair<TilingPoint, Cost>> known;
  std::vector<TilingPoint> near;
};

class TilingSearch {
 public:
  // Of operator `op` of a plan with types, and its problem.
  TilingSearch(const TilingProblem& problem, const Plan& plan, OperatorId op, const SearchOptions& options,
               TilingStart start);

  // Points to measure next; none: the search is over.
  std::vector<TriedPoint> next();
  // Their costs, in that order.
  void report(const std::vector<PointCost>& costs);

  // Everything but the outcomes of the planner's own tiling and of the closed formulas, and of the best its cost alone.
  SearchResult result() const;

 private:
  bool worth(const TilingCandidate& candidate) const { return candidate.bound < best_value_; }
  std::size_t room() const;
  void mark_tried(const TilingPoint& point);
  void take_by_bound(std::size_t most);
  void take_by_promise(std::size_t most);
  void learn(const TilingPoint& point, const Cost& cost);
  std::int64_t count_left() const;

  const TilingProblem problem_;
  const SearchOptions options_;
  const TilingSpace space_;
  TilingModel model_;
  TilingScan scan_;
  std::size_t next_candidate_ = 0;
  std::vector<TilingPoint> near_;  // to be measured before any other
  std::set<std::int64_t> tried_;
  std::vector<TilingPoint> round_;  // under way
  std::optional<TilingPoint> best_;
  Cost best_point_cost_;
  TriedPoint best_tried_;  // best of all
  Cost best_cost_, early_cost_;
  double best_value_;
  std::int64_t measured_ = 0, refused_ = 0;
};

// Called after each round with the measurements done and those that are at most to come.
using SearchProgress = std::function<void(std::int64_t done, std::int64_t most)>;

// UserError when the planner itself cannot tile the operator on this chip.
SearchResult search_tiling(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                           const SearchOptions& options, const SearchProgress& progress = {});
SearchResult search_tiling(TilingMeasurer& measurer, const Hardware& hardware, const OperatorShape& shape,
                           const SearchOptions& options);

}  // namespace tilewright
