#include "planner/search/tiling/tiling_model.h"

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

// Shares of the prediction and of the bound in the mean. The rest is the bound's work, the sum of the times that the
// bound is the longest of: no two resources overlap wholly. These shares and the constants below were chosen on some
// 4,000 measured points of products and convolutions on three chips.
constexpr double kPrediction = 0.1, kBound = 0.2;
// Unlikeness of sizes that differ by a factor 2, of numbers of parts that do, of other parts at all, of another order.
constexpr double kSize = 0.7, kParts = 0.2, kOtherParts = 0.7, kOrder = 0.4;
// What the mean of all departures counts against those of similar points.
constexpr double kOverall = 0.5;
// By how much a point unlike all measured ones may turn out cheaper than expected, logarithm.
constexpr double kHope = 0.2;

double log2_of(std::int64_t value) { return std::log2(static_cast<double>(value)); }

}  // namespace

TilingModel::TilingModel(const TilingProblem& problem, const Plan& plan, OperatorId op, Objective objective)
    : problem_(problem), prediction_(plan, op), objective_(objective) {}

void TilingModel::add(const TilingSpace& space, const std::vector<TilingCandidate>& candidates) {
  for (const TilingCandidate& candidate : candidates) {
    const TilingPoint point = space.point(candidate.number);
    entries_.push_back({candidate, features_of(point), expected(point)});
  }
}

void TilingModel::learn(const TilingPoint& point, double value) {
  const double departure = std::log(value) - expected(point);
  const Features features = features_of(point);
  ++learnt_, departures_ += departure;
  for (Entry& entry : entries_) {
    const double weight = likeness(entry.features, features);
    entry.evidence += weight, entry.departures += weight * departure;
  }
}

std::optional<TilingCandidate> TilingModel::take(double limit) {
  Entry* best = most_promising(limit);
  if (!best) return {};
  best->taken = true;
  return best->candidate;
}

void TilingModel::count_under_way(const TilingPoint& point, double times) {
  const Features features = features_of(point);
  for (Entry& entry : entries_) entry.pending += times * likeness(entry.features, features);
}

void TilingModel::drop(std::int64_t number) {
  for (Entry& entry : entries_) entry.taken |= entry.candidate.number == number;
}

// Sizes first, then the parts, then the orders.
TilingModel::Features TilingModel::features_of(const TilingPoint& p) {
  const std::array<std::int64_t, 8> sizes{p.partition_m, p.partition_n, p.partition_k, p.tile_m,
                                          p.tile_n,      p.parts_batch, p.parts_m,     p.parts_n};
  Features features;
  std::transform(sizes.begin(), sizes.end(), features.begin(), log2_of);
  features[8] = p.outer_rowmajor, features[9] = p.inner_rowmajor, features[10] = p.a_stationary;
  return features;
}

double TilingModel::likeness(const Features& a, const Features& b) {
  double sizes = 0, parts = 0, orders = 0;
  for (int i = 0; i < 5; ++i) sizes += std::abs(a[i] - b[i]);
  for (int i = 5; i < 8; ++i) parts += std::abs(a[i] - b[i]);
  for (int i = 8; i < 11; ++i) orders += std::abs(a[i] - b[i]);
  return std::exp(-(kSize * sizes + kParts * parts + (parts > 0 ? kOtherParts : 0) + kOrder * orders));
}

double TilingModel::expected(const TilingPoint& point) {
  TilingBound bound = bound_of(problem_, point);
  const double cycles = bound.cycles;
  bound.cycles = std::pow(prediction_.cycles(point), kPrediction) * std::pow(cycles, kBound) *
                 std::pow(bound.work, 1 - kPrediction - kBound);
  bound.energy_pj += (bound.cycles - cycles) * problem_.static_pj_per_cycle;
  return std::log(value_of(bound, objective_));
}

double TilingModel::prospect(const Entry& e) const {
  const double mean = learnt_ == 0 ? 0 : departures_ / learnt_;
  const double correction = (e.departures + kOverall * mean) / (e.evidence + kOverall);
  return e.expected + correction - kHope / std::sqrt(1 + e.evidence + e.pending);
}

TilingModel::Entry* TilingModel::most_promising(double limit) {
  Entry* best = nullptr;
  double least = 0;
  for (Entry& entry : entries_) {
    if (entry.taken || entry.candidate.bound >= limit) continue;
    if (const double mine = prospect(entry); !best || mine < least) best = &entry, least = mine;
  }
  return best;
}

}  // namespace tilewright
