#include "planner/search/study/study_points.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <set>

#include "sim/base/error.h"

namespace tilewright {
namespace {

// Floyd's sampling: `count` different numbers below `size`, ascending. The generator's numbers are used as they come,
// so that every standard library draws the same.
std::vector<std::int64_t> sample(std::int64_t size, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::set<std::int64_t> drawn;
  for (std::int64_t upper = size - count; upper < size; ++upper) {
    const auto number = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(upper + 1));
    drawn.insert(drawn.contains(number) ? upper : number);
  }
  return {drawn.begin(), drawn.end()};
}

struct Ranked {
  int front = 0;
  double log_product = 0;
  std::int64_t point = 0;
  auto operator<=>(const Ranked&) const = default;
};

double log_product(const Figures& objectives) {
  double sum = 0;
  for (const double value : objectives) sum += std::log(value);
  return sum;
}

// As after that round: later rounds must not see what they measured themselves.
PointResult as_after(PointResult result, std::size_t workloads) {
  if (result.workloads.size() > workloads) result.workloads.resize(workloads);
  return result;
}

// Points that were still in the race when their last workload of the round was measured.
std::vector<Ranked> ranked(const Study& study, const std::vector<std::int64_t>& points, std::size_t workloads,
                           const PointResults& results) {
  std::vector<Ranked> legal;
  std::vector<Figures> objectives;
  for (const std::int64_t point : points) {
    const PointResult result = as_after(results.at(point), workloads);
    if (result.workloads.size() < workloads) continue;
    objectives.push_back(objectives_of(study, result));
    legal.push_back({0, log_product(objectives.back()), point});
  }
  const std::vector<int> fronts = front_of(objectives);
  for (std::size_t i = 0; i < legal.size(); ++i) legal[i].front = fronts[i];
  std::sort(legal.begin(), legal.end());
  return legal;
}

std::vector<std::int64_t> survivors(const Study& study, const std::vector<std::int64_t>& points, std::size_t workloads,
                                    const PointResults& results) {
  const std::vector<Ranked> order = ranked(study, points, workloads, results);
  const auto kept = static_cast<std::size_t>(std::ceil(study.keep * static_cast<double>(order.size())));
  std::vector<std::int64_t> best;
  for (std::size_t i = 0; i < kept; ++i) best.push_back(order[i].point);
  std::sort(best.begin(), best.end());
  return best;
}

}  // namespace

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

std::vector<std::int64_t> drawn_points(const Study& study) {
  const std::int64_t size = grid_size(study);
  if (study.sample > 0 && study.sample < size) return sample(size, study.sample, study.seed);
  std::vector<std::int64_t> all(size);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int rounds_of(const Study& study) {
  return study.method == StudyMethod::kHalving ? static_cast<int>(study.workloads.size()) : 1;
}

std::size_t workloads_in_round(const Study& study, int round) {
  return study.method == StudyMethod::kHalving ? round + 1 : study.workloads.size();
}

OpenWork open_work(const Study& study, const PointResults& results) {
  OpenWork work;
  work.all = drawn_points(study);
  for (; work.round < rounds_of(study); ++work.round) {
    const std::size_t workloads = workloads_in_round(study, work.round);
    for (const std::int64_t point : work.all)
      if (const auto found = results.find(point); found == results.end() || !is_done(found->second, workloads))
        work.open.push_back(point);
    if (!work.open.empty()) return work;
    work.all = survivors(study, work.all, workloads, results);
  }
  return work;
}

std::vector<std::int64_t> slice_of(const OpenWork& work, const Slice& slice) {
  std::vector<std::int64_t> mine;
  for (std::size_t i = 0; i < work.all.size(); ++i)
    if (slice.holds(i) && std::binary_search(work.open.begin(), work.open.end(), work.all[i]))
      mine.push_back(work.all[i]);
  return mine;
}

}  // namespace tilewright
