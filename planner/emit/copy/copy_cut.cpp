#include "planner/emit/copy/copy_cut.h"

#include <algorithm>
#include <numeric>

#include "sim/base/units.h"

namespace tilewright {
namespace {

using Kind = LoopCut::Kind;

// The remainders of one division.
class Carry {
 public:
  Carry(const std::vector<std::int64_t>& counts, const Linear& e, std::int64_t size)
      : counts_(counts), size_(size), start_(e.constant % size), reach_(start_) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      step_.push_back(counts[i] == 1 ? 0 : e.factor[i] % size);
      reach_ += (counts[i] - 1) * step_[i];
    }
  }

  std::optional<LoopCut> cut() const {
    if (reach_ < size_) return std::nullopt;
    for (const auto find : {&Carry::in_step, &Carry::at_period, &Carry::before_carry, &Carry::at_border})
      if (const auto cut = (this->*find)()) return cut;
    return LoopCut{Kind::kBreak, fewest(), 1};
  }

 private:
  bool moves(std::size_t i) const { return step_[i] > 0; }
  std::int64_t last(std::size_t i) const { return (counts_[i] - 1) * step_[i]; }
  // Largest remainder when loop i stands at its first iteration.
  std::int64_t others(std::size_t i) const { return reach_ - last(i); }

  // A loop whose steps divide the size, with all others inside one step: it meets every border exactly.
  std::optional<LoopCut> in_step() const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (!moves(i) || size_ % step_[i] != 0 || others(i) - start_ + start_ % step_[i] >= step_[i]) continue;
      const std::int64_t period = size_ / step_[i], first = start_ / step_[i];
      if (first > 0) return LoopCut{Kind::kBreak, i, period - first};
      return whole_periods(i, period);
    }
    return std::nullopt;
  }

  // `counts_[i]` > period: nested when that divides it, else the incomplete period at the end is cut off.
  LoopCut whole_periods(std::size_t i, std::int64_t period) const {
    const std::int64_t over = counts_[i] % period;
    if (over == 0) return {Kind::kNest, i, period};
    return {Kind::kBreak, i, counts_[i] - over};
  }

  // A loop that goes through the remainders more than once: the repetitions do not carry.
  std::optional<LoopCut> at_period() const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (!moves(i)) continue;
      const std::int64_t period = size_ / std::gcd(size_, step_[i]);
      if (counts_[i] >= 2 * period) return whole_periods(i, period);
    }
    return std::nullopt;
  }

  // The iterations of the widest loop before anything carries.
  std::optional<LoopCut> before_carry() const {
    std::optional<LoopCut> best;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (!moves(i) || others(i) >= size_ || (best && step_[i] <= step_[best->loop])) continue;
      best = LoopCut{Kind::kBreak, i, ceil_div(size_ - others(i), step_[i])};
    }
    return best;
  }

  // The longest loop that reaches the border by itself.
  std::optional<LoopCut> at_border() const {
    std::optional<LoopCut> best;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (!moves(i) || (best && counts_[i] <= counts_[best->loop])) continue;
      const std::int64_t at = ceil_div(size_ - start_, step_[i]);
      if (at < counts_[i]) best = LoopCut{Kind::kBreak, i, at};
    }
    return best;
  }

  std::size_t fewest() const {
    std::size_t best = counts_.size();
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (moves(i) && (best == counts_.size() || counts_[i] < counts_[best])) best = i;
    return best;
  }

  const std::vector<std::int64_t>& counts_;
  std::int64_t size_, start_, reach_;  // reach_: start_ and every loop at its end
  std::vector<std::int64_t> step_;
};

}  // namespace

std::optional<LoopCut> next_cut(const std::vector<std::int64_t>& counts, const Linear& e, std::int64_t size) {
  return Carry(counts, e, size).cut();
}

}  // namespace tilewright
