#include "planner/search/order/order_surrogate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "planner/constants/constants.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Pairs of nodes that the graph does not order.
int open_pairs(const ScheduleDag& dag) {
  std::vector<boost::dynamic_bitset<>> before(dag.size(), boost::dynamic_bitset<>(dag.size()));
  int pairs = 0;
  for (int node = 0; node < dag.size(); ++node) {
    for (const int previous : dag.previous[node]) (before[node] |= before[previous]).set(previous);
    pairs += node - static_cast<int>(before[node].count());
  }
  return pairs;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

OrderSurrogate::OrderSurrogate(const ScheduleDag& dag)
    : nodes_(dag.size()), open_pairs_(std::max(1, open_pairs(dag))), deviation_(constants().order_min_deviation) {}

void OrderSurrogate::add(const NodeOrder& order) {
  Precedences precedences = precedences_of(order);
  std::vector<double> row = forward(covariances_with_all(precedences));
  const double noise = constants().order_noise;
  row.push_back(std::sqrt(std::max(noise, 1 + noise - dot(row, row))));
  factor_.push_back(std::move(row));
  precedences_.push_back(std::move(precedences));
  whitened_.push_back(0);
}

void OrderSurrogate::set_excess(std::size_t index, double excess) {
  SIM_CHECK(index == excesses_.size() && index < size(), "excess {} of {}", index, size());
  excesses_.push_back(excess);
}

// Orders under way are taken to come to what is expected of them, which leaves the expectation as it is: their share of
// the whitened excesses is 0.
void OrderSurrogate::fit() {
  if (excesses_.empty()) return;
  const auto count = static_cast<double>(excesses_.size());
  mean_ = std::accumulate(excesses_.begin(), excesses_.end(), 0.0) / count;
  double variance = 0;
  for (const double excess : excesses_) variance += (excess - mean_) * (excess - mean_) / count;
  deviation_ = std::max(constants().order_min_deviation, std::sqrt(variance));
  std::vector<double> scaled;
  for (const double excess : excesses_) scaled.push_back((excess - mean_) / deviation_);
  scaled = forward(std::move(scaled));
  std::fill(whitened_.begin(), whitened_.end(), 0);
  std::copy(scaled.begin(), scaled.end(), whitened_.begin());
}

double OrderSurrogate::acquisition(const NodeOrder& order) const {
  const auto shares = forward(covariances_with_all(precedences_of(order)));
  const double uncertain = std::sqrt(std::max(0.0, 1 - dot(shares, shares)));
  return mean_ + deviation_ * (dot(shares, whitened_) - constants().order_deviations * uncertain);
}

OrderSurrogate::Precedences OrderSurrogate::precedences_of(const NodeOrder& order) const {
  Precedences bits(static_cast<std::size_t>(nodes_) * nodes_);
  for (auto a = order.begin(); a != order.end(); ++a)
    for (auto b = a + 1; b != order.end(); ++b)
      if (*a < *b) bits.set(static_cast<std::size_t>(*a) * nodes_ + *b);
  return bits;
}

double OrderSurrogate::covariance(const Precedences& a, const Precedences& b) const {
  return std::exp(-static_cast<double>((a ^ b).count()) / open_pairs_ / constants().order_reach);
}

std::vector<double> OrderSurrogate::covariances_with_all(const Precedences& order) const {
  std::vector<double> all;
  for (const Precedences& other : precedences_) all.push_back(covariance(order, other));
  return all;
}

// Solves factor_ * x = values for as many rows as there are values.
std::vector<double> OrderSurrogate::forward(std::vector<double> values) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& row = factor_[i];
    for (std::size_t j = 0; j < i; ++j) values[i] -= row[j] * values[j];
    values[i] /= row[i];
  }
  return values;
}

}  // namespace tilewright
