#include "planner/search/study/pareto.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "sim/base/error.h"

namespace tilewright {

bool dominates(const Figures& a, const Figures& b) {
  SIM_CHECK(a.size() == b.size(), "{} figures beside {}", a.size(), b.size());
  bool smaller = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    smaller = smaller || a[i] < b[i];
  }
  return smaller;
}

// In lexicographic order a point is dominated only by earlier ones, and its front is one above the highest front that
// holds one of them.
std::vector<int> front_of(const std::vector<Figures>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
  std::vector<std::vector<std::size_t>> fronts;
  std::vector<int> front(points.size(), 0);
  for (const std::size_t p : order) {
    const auto beaten = [&](std::size_t q) { return dominates(points[q], points[p]); };
    while (static_cast<std::size_t>(front[p]) < fronts.size() &&
           std::any_of(fronts[front[p]].begin(), fronts[front[p]].end(), beaten))
      ++front[p];
    if (static_cast<std::size_t>(front[p]) == fronts.size()) fronts.emplace_back();
    fronts[front[p]].push_back(p);
  }
  return front;
}

}  // namespace tilewright
