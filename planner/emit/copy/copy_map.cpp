#include "planner/emit/copy/copy_map.h"

#include <algorithm>
#include <numeric>

#include "sim/base/units.h"

namespace tilewright {
namespace {

struct MapPart {
  std::int64_t extent, stride;
};

// A run of dimensions whose coordinates are taken as one number below `size`.
struct Group {
  std::int64_t size = 1;
  std::vector<MapPart> parts;  // outermost first

  // Whether every place of the parts belongs to a coordinate.
  bool exact() const {
    std::int64_t covered = 1;
    for (const MapPart& part : parts) covered *= part.extent;
    return covered == size;
  }
};

Group group_of(const Layout& layout, int dimension) {
  std::vector<LayoutPart> parts;
  for (const LayoutPart& part : layout.parts())
    if (part.dimension == dimension && part.extent > 1) parts.push_back(part);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const LayoutPart& a, const LayoutPart& b) { return a.block > b.block; });
  Group group{layout.shape()[dimension], {}};
  for (const LayoutPart& part : parts) group.parts.push_back({part.extent, part.stride});
  return group;
}

// Groups, outermost first; where the inner one is exact its parts simply go on inside those of the one before.
std::vector<Group> groups_of(const Layout& layout) {
  std::vector<Group> groups;
  for (int d = static_cast<int>(layout.shape().size()) - 1; d >= 0; --d) {
    Group group = group_of(layout, d);
    if (!groups.empty() && groups.front().exact()) {
      group.size *= groups.front().size;
      group.parts.insert(group.parts.end(), groups.front().parts.begin(), groups.front().parts.end());
      groups.front() = group;
    } else {
      groups.insert(groups.begin(), group);
    }
  }
  for (Group& group : groups) {
    std::vector<MapPart> merged;
    for (const MapPart& part : group.parts)
      if (!merged.empty() && merged.back().stride == part.stride * part.extent)
        merged.back() = {merged.back().extent * part.extent, part.stride};
      else
        merged.push_back(part);
    group.parts = merged;
  }
  return groups;
}

}  // namespace

std::int64_t CopySide::place_of(const std::vector<std::int64_t>& x) const {
  std::int64_t element = view.element_at(x);
  std::vector<std::int64_t> coordinate(layout.shape().size());
  for (std::size_t d = coordinate.size(); d-- > 0; element /= layout.shape()[d])
    coordinate[d] = element % layout.shape()[d];
  const std::int64_t place = layout.physical_of(coordinate);
  return piece == 0 ? place : place / piece * piece_stride + place % piece;
}

std::vector<MapStep> map_steps(const CopySide& side) {
  using Kind = MapStep::Kind;
  std::vector<MapStep> steps;
  const std::vector<Group> groups = groups_of(side.layout);
  for (std::size_t g = groups.size(); g-- > 0;) {
    steps.push_back(g > 0 ? MapStep{Kind::kDimension, groups[g].size} : MapStep{Kind::kLast});
    const std::vector<MapPart>& parts = groups[g].parts;
    for (std::size_t i = parts.size(); i-- > 1;) steps.push_back({Kind::kBlock, parts[i].extent, parts[i].stride});
    if (!parts.empty()) steps.push_back({Kind::kOuter, 0, parts[0].stride});
  }
  if (side.piece > 0) steps.push_back({Kind::kPiece, side.piece, side.piece_stride});
  return steps;
}

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
