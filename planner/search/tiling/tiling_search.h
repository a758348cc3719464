// Search for the tiling of one operator: bounds prune the space, expected costs order it, measurements decide.
//
// The planner's own tiling and that of the closed formulas alone are measured first and have to be beaten. Then each
// point is chosen by what all points before it but the last few have measured: so several are under way at a time, and
// no choice depends on timing or the number of workers.
//   exhaustive  every legal point whose bound is below the best cost so far, best bound first: at the end the best is
//               the optimum of the space
//   bounded     at most `budget` measurements of the points of the highest acquisition (tiling_model.h), of those whose
//               bound is among the lowest and below the best cost so far. A search of a smaller budget is the beginning
//               of one of a larger
// Ties go to the point measured first.
#pragma once

#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "planner/constants/constants.h"
#include "planner/search/tiling/tiling_measurer.h"
#include "planner/search/tiling/tiling_model.h"

namespace tilewright {

// Where the sums of a partition are between two steps of K: all in the accumulate buffer, or some in the input buffers
// (ir/spill.h).
enum class Sums : std::uint8_t { kAnywhere, kKept, kSpilled };

struct SearchOptions {
  Objective objective = Objective::kCycles;
  bool exhaustive = false;
  // Measurements besides those of the planner's own tiling and of the formulas; bounded search.
  std::int64_t budget = constants().tiling_budget;
  std::int64_t early = constants().tiling_early;  // measurements after which the best cost is noted
  // Further ones the farther the best cost is from the least bound of all: all of them from (1 + far) times it on.
  std::int64_t more_if_far = 0;
  double far = 1;
  // Points in a row that bring nothing, after which a bounded search ends.
  std::int64_t patience = std::numeric_limits<std::int64_t>::max();
  double gain = 0;  // share of the best cost by which a point's bound has to be below it for the point to be measured
  Sums sums = Sums::kAnywhere;  // of the points that are looked at
  double spill_gain = 0;        // share by which those whose sums wait in the input buffers have to cost less
  std::int64_t under_way = constants().tiling_under_way;  // bounded search: chosen before the first of them is reported
  std::vector<TilingPoint> seeds;                         // measured first (seeded_start.h); of the budget
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
  TriedPoint own;  // the planner's
  Cost planned, formulas;
  std::vector<std::pair<TilingPoint, Cost>> known;
  std::deque<TilingPoint> near;
};

class TilingSearch {
 public:
  // Of operator `op` of a plan with types, and its problem.
  TilingSearch(const TilingProblem& problem, const Plan& plan, OperatorId op, const SearchOptions& options,
               TilingStart start);

  // The point to measure next. Nothing while the search waits for reports, and for good when there are none to wait
  // for.
  std::optional<TilingPoint> next();
  // What a point came to, in the order of next().
  void report(const PointCost& cost);

  // What a point came to that somebody else chose: it counts like one of next(), and is not chosen again.
  void report_other(const TilingPoint& point, const Cost& cost);

  // Points that may still be chosen, at most.
  std::int64_t most_left() const;

  // When all are reported: everything but the outcomes of the planner's own tiling and of the closed formulas, and of
  // the best its cost alone.
  SearchResult finish();

 private:
  double weighed(const TilingPoint& point, const Cost& cost) const;
  double limit() const { return best_value_ * (1 - options_.gain); }
  bool worth(const TilingCandidate& candidate) const { return candidate.bound < limit(); }
  void mark_tried(const TilingPoint& point);
  std::int64_t budget() const;
  std::optional<TilingPoint> choose();
  std::optional<TilingPoint> choose_by_bound();
  std::optional<TilingPoint> choose_by_acquisition();
  bool take_in_report();
  void take_in(const TilingPoint& point, const PointCost& cost);
  void learn(const TilingPoint& point, const Cost& cost);
  std::int64_t count_left() const;

  const TilingProblem problem_;
  const SearchOptions options_;
  const TilingSpace space_;
  TilingModel model_;
  TilingScan scan_;
  std::size_t next_candidate_ = 0;
  std::deque<TilingPoint> near_;  // to be measured before any other
  std::set<std::int64_t> tried_;
  std::deque<TilingPoint> under_way_;  // chosen, the oldest first; what they came to is not yet taken in
  std::deque<PointCost> reported_;     // of the first of them
  std::int64_t chosen_ = 0, idle_ = 0;
  std::optional<TilingPoint> best_;
  Cost best_point_cost_;
  TriedPoint best_tried_;  // best of all
  Cost best_cost_, early_cost_;
  double best_value_;
  std::int64_t measured_ = 0, refused_ = 0;
};

// Measures what a search starts from, `own` being the planner's tiling. UserError when the planner cannot tile the
// operator on this chip.
TilingStart measure_start(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                          const TriedPoint& own);
TilingSearch begin_search(const Hardware& hardware, const TilingOperator& op, const SearchOptions& options,
                          const TilingStart& start);
// finish() of that search, with all outcomes.
SearchResult finish_search(TilingSearch& search, const Hardware& hardware, const TilingOperator& op,
                           const TilingStart& start);

// Called after each measurement with those done and those that are done at most.
using SearchProgress = std::function<void(std::int64_t done, std::int64_t most)>;

// All of that in one call; the planner's own tiling is predicted_tiling().
SearchResult search_tiling(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                           const SearchOptions& options, const SearchProgress& progress = {});
SearchResult search_from(const TriedPoint& own, const MeasurePoints& measure, const Hardware& hardware,
                         const TilingOperator& op, const SearchOptions& options, const SearchProgress& progress = {});
// The best of the planner's refined tiling and the points that such a search measures; the formulas' is the first of
// them where its bound is below what the refined one comes to. Points whose sums wait in the input buffers are among
// them where the refined tiling's do: their bounds are low, so that they would take the place of others. UserError when
// the planner cannot tile the operator on this chip.
TriedPoint best_of_refined(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                           SearchOptions options);
// `own`, or the best of options.budget points whose sums wait in the input buffers, where it costs less by
// options.spill_gain. `own` too where its sums wait there, and where memory is not what its products wait for.
TriedPoint best_spilled(const MeasurePoints& measure, const Hardware& hardware, const TilingOperator& op,
                        const TriedPoint& own, SearchOptions options);
SearchResult search_tiling(TilingMeasurer& measurer, const Hardware& hardware, const OperatorShape& shape,
                           const SearchOptions& options);

}  // namespace tilewright
