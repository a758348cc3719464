#include "planner/search/order/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "sim/base/error.h"

namespace tilewright {
namespace {

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> by_value(values.size());
  std::iota(by_value.begin(), by_value.end(), std::size_t{0});
  std::sort(by_value.begin(), by_value.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < by_value.size();) {
    std::size_t last = first;
    while (last + 1 < by_value.size() && values[by_value[last + 1]] == values[by_value[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[by_value[i]] = static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return ranks;
}

double pearson(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

double tau_b(const std::vector<double>& a, const std::vector<double>& b) {
  double balance = 0, differ_a = 0, differ_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int sign_a = (a[i] > a[j]) - (a[i] < a[j]), sign_b = (b[i] > b[j]) - (b[i] < b[j]);
      balance += sign_a * sign_b;
      differ_a += sign_a != 0;
      differ_b += sign_b != 0;
    }
  return balance / std::sqrt(differ_a * differ_b);
}

bool constant(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

}  // namespace

std::optional<RankCorrelation> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  SIM_CHECK(a.size() == b.size(), "{} values against {}", a.size(), b.size());
  if (a.empty() || constant(a) || constant(b)) return std::nullopt;
  return RankCorrelation{pearson(ranks_of(a), ranks_of(b)), tau_b(a, b)};
}

}  // namespace tilewright
