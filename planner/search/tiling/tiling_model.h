// What points should cost: a mean of prediction and bound, corrected by what similar points measured above or below
// theirs. It decides in which order a search measures, never what the search leaves out.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/estimate/tiling_time.h"
#include "planner/ir/tiling_point.h"
#include "planner/search/tiling/tiling_scan.h"

namespace tilewright {

// What the planner predicts a point to take (planner/estimate/tiling_time.h). It is no bound and prunes nothing.
class TilingPrediction {
 public:
  // Of operator `op` of a plan with types.
  TilingPrediction(Plan plan, OperatorId op);

  // Core clocks of the largest part. The point satisfies check_choice().
  double cycles(const TilingPoint& point);

 private:
  struct Part {
    std::unique_ptr<Contraction> contraction;
    PredictionInput input;
  };
  const Part& part_of(const TilingPoint& point);

  const Plan plan_;
  const Operator& op_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Part> parts_;  // by numbers of parts
};

class TilingModel {
 public:
  // Of operator `op` of a plan with types, and its problem.
  TilingModel(const TilingProblem& problem, const Plan& plan, OperatorId op, Objective objective);

  // Candidates to choose from; their points satisfy check_choice().
  void add(const TilingSpace& space, const std::vector<TilingCandidate>& candidates);
  // A measured value of the objective, of a candidate or of any other point.
  void learn(const TilingPoint& point, double value);
  // The most promising candidate not taken before with a bound below `limit`.
  std::optional<TilingCandidate> take(double limit);
  // The same of those whose tiles have another size than any point that is known or under way.
  std::optional<TilingCandidate> take_of_new_tile(double limit);
  // While a point is under way, points like it promise less.
  void depart(const TilingPoint& point) { count_under_way(point, 1); }
  void arrive(const TilingPoint& point) { count_under_way(point, -1); }
  // A candidate that is measured without being taken.
  void drop(std::int64_t number);

 private:
  using Features = std::array<double, 11>;
  using TileSize = std::pair<std::int64_t, std::int64_t>;  // rows, columns
  enum class Tiles : std::uint8_t { kAll, kNew };
  struct Entry {
    TilingCandidate candidate;
    TileSize tile;
    Features features;
    double expected = 0;  // logarithm of the value, before anything is learnt
    // Measured points, each counting by its similarity to this one: their number, and the sum of the logarithms of what
    // they measured over what was expected of them.
    double evidence = 0, residuals = 0;
    double pending = 0;  // points under way, counted alike
    bool taken = false;
  };

  static Features features_of(const TilingPoint& point);
  static double similarity(const Features& a, const Features& b);
  double expected(const TilingPoint& point);
  void count_under_way(const TilingPoint& point, double times);
  double prospect(const Entry& entry) const;
  Entry* most_promising(double limit, Tiles tiles);
  std::optional<TilingCandidate> take(Entry* entry);

  const TilingProblem problem_;
  TilingPrediction prediction_;
  const Objective objective_;
  std::vector<Entry> entries_;
  std::set<TileSize> tiles_;           // of all points that are known or have been under way
  double learnt_ = 0, residuals_ = 0;  // of all measured points
};

}  // namespace tilewright
