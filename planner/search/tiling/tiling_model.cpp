#include "planner/search/tiling/tiling_model.h"

#include <algorithm>
#include <cmath>

#include "planner/constants/constants.h"

namespace tilewright {
namespace {

double log2_of(std::int64_t value) { return std::log2(static_cast<double>(value)); }

}  // namespace

TilingPrediction::TilingPrediction(Plan plan, OperatorId op) : plan_(std::move(plan)), op_(plan_.graph.op(op)) {}

double TilingPrediction::cycles(const TilingPoint& point) {
  const Part& part = part_of(point);
  return predicted_cycles(part.input, tiling_of(point, part.contraction->shape(), part.input.limits));
}

const TilingPrediction::Part& TilingPrediction::part_of(const TilingPoint& point) {
  const std::tuple key{point.parts_batch, point.parts_m, point.parts_n};
  const auto known = parts_.find(key);
  if (known != parts_.end()) return known->second;
  const Split split = split_of(point, plan_, op_);
  auto contraction = make_contraction(plan_, op_, split.items[largest_item(split)]);
  const PredictionInput input = prediction_input(plan_, op_, *contraction, split.items.size());
  return parts_.emplace(key, Part{std::move(contraction), input}).first->second;
}

TilingModel::TilingModel(const TilingProblem& problem, const Plan& plan, OperatorId op, Objective objective)
    : problem_(problem), prediction_(plan, op), objective_(objective) {}

void TilingModel::add(const TilingSpace& space, const std::vector<TilingCandidate>& candidates) {
  for (const TilingCandidate& candidate : candidates) {
    const TilingPoint point = space.point(candidate.number);
    entries_.push_back({candidate, {point.tile_m, point.tile_n}, features_of(point), expected(point)});
  }
}

void TilingModel::learn(const TilingPoint& point, double value) {
  const double residual = std::log(value) - expected(point);
  const Features features = features_of(point);
  tiles_.emplace(point.tile_m, point.tile_n);
  ++learnt_, residuals_ += residual;
  for (Entry& entry : entries_) {
    const double weight = similarity(entry.features, features);
    entry.evidence += weight, entry.residuals += weight * residual;
  }
}

std::optional<TilingCandidate> TilingModel::take(double limit) { return take(most_promising(limit, Tiles::kAll)); }

std::optional<TilingCandidate> TilingModel::take_of_new_tile(double limit) {
  return take(most_promising(limit, Tiles::kNew));
}

std::optional<TilingCandidate> TilingModel::take(Entry* best) {
  if (!best) return {};
  best->taken = true;
  return best->candidate;
}

void TilingModel::count_under_way(const TilingPoint& point, double times) {
  tiles_.emplace(point.tile_m, point.tile_n);
  const Features features = features_of(point);
  for (Entry& entry : entries_) entry.pending += times * similarity(entry.features, features);
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

double TilingModel::similarity(const Features& a, const Features& b) {
  double sizes = 0, parts = 0, orders = 0;
  for (int i = 0; i < 5; ++i) sizes += std::abs(a[i] - b[i]);
  for (int i = 5; i < 8; ++i) parts += std::abs(a[i] - b[i]);
  for (int i = 8; i < 11; ++i) orders += std::abs(a[i] - b[i]);
  const Constants& c = constants();
  const double other_parts = parts > 0 ? c.tiling_other_parts_distance : 0;
  return std::exp(-(c.tiling_size_distance * sizes + c.tiling_parts_distance * parts + other_parts +
                    c.tiling_order_distance * orders));
}

double TilingModel::expected(const TilingPoint& point) {
  TilingBound bound = tiling_bound(problem_, point);
  const double cycles = bound.cycles;
  // No two resources overlap wholly: the rest of the mean is their sum.
  const double predicted = constants().tiling_prediction_share, bounded = constants().tiling_bound_share;
  bound.cycles = std::pow(prediction_.cycles(point), predicted) * std::pow(cycles, bounded) *
                 std::pow(bound.work, 1 - predicted - bounded);
  bound.energy_pj += (bound.cycles - cycles) * problem_.static_pj_per_cycle;
  return std::log(value_of(bound, objective_));
}

double TilingModel::prospect(const Entry& e) const {
  const double mean = learnt_ == 0 ? 0 : residuals_ / learnt_;
  const double correction =
      (e.residuals + constants().tiling_mean_weight * mean) / (e.evidence + constants().tiling_mean_weight);
  return e.expected + correction - constants().tiling_exploration_bonus / std::sqrt(1 + e.evidence + e.pending);
}

TilingModel::Entry* TilingModel::most_promising(double limit, Tiles tiles) {
  Entry* best = nullptr;
  double least = 0;
  for (Entry& entry : entries_) {
    if (entry.taken || entry.candidate.bound >= limit) continue;
    if (tiles == Tiles::kNew && tiles_.contains(entry.tile)) continue;
    if (const double mine = prospect(entry); !best || mine < least) best = &entry, least = mine;
  }
  return best;
}

}  // namespace tilewright
