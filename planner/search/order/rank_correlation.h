// How well one figure ranks what another measures.
#pragma once

#include <optional>
#include <vector>

namespace tilewright {

// Correlations of ranks in [-1, 1]; nothing when either list has fewer than two different values.
struct RankCorrelation {
  double spearman = 0;  // Pearson's of the ranks, ties at their mean rank
  double kendall = 0;   // tau-b
};
std::optional<RankCorrelation> rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tilewright
