// Two coordinates of a view are one element when some difference of coordinates, not all zero and each smaller than its
// dimension, has the weighted sum 0.
#include <algorithm>

#include "planner/view/view.h"

namespace tilewright {
namespace {

constexpr int kStepBudget = 1 << 16;

struct Loop {
  std::int64_t stride, most;  // differences from -most to most
};

class ZeroSum {
 public:
  explicit ZeroSum(const View& view) {
    for (std::size_t d = 0; d < view.shape.size(); ++d)
      if (view.shape[d] > 1) loops_.push_back({view.strides[d], view.shape[d] - 1});
    std::sort(loops_.begin(), loops_.end(), [](const Loop& a, const Loop& b) { return a.stride > b.stride; });
    reach_.assign(loops_.size() + 1, 0);
    for (std::size_t i = loops_.size(); i-- > 0;) reach_[i] = reach_[i + 1] + loops_[i].stride * loops_[i].most;
  }

  bool exists() { return find(0, 0, false); }

 private:
  // Whether differences of the loops from `at` on can bring `sum` to 0. The first one that is not zero is taken
  // positive: the mirrored solution says the same.
  bool find(std::size_t at, std::int64_t sum, bool moved) {
    if (sum > reach_[at] || -sum > reach_[at]) return false;
    if (--budget_ < 0) return true;
    if (at == loops_.size()) return moved;
    const Loop& loop = loops_[at];
    if (loop.stride == 0) return true;
    const std::int64_t low = moved ? -loop.most : 0;
    const std::int64_t first = std::max(low, floor_div(-reach_[at + 1] - sum + loop.stride - 1, loop.stride));
    const std::int64_t last = std::min(loop.most, floor_div(reach_[at + 1] - sum, loop.stride));
    for (std::int64_t i = first; i <= last; ++i)
      if (find(at + 1, sum + i * loop.stride, moved || i != 0)) return true;
    return false;
  }

  static std::int64_t floor_div(std::int64_t value, std::int64_t divisor) {
    return value / divisor - (value % divisor < 0 ? 1 : 0);
  }

  std::vector<Loop> loops_;          // largest stride first
  std::vector<std::int64_t> reach_;  // most that the loops from i on can sum to
  int budget_ = kStepBudget;
};

}  // namespace

bool overlaps_itself(const View& view) { return ZeroSum(view).exists(); }

}  // namespace tilewright
