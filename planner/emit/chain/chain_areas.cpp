#include "planner/emit/chain/chain_areas.h"

#include <algorithm>

#include "planner/constants/constants.h"

namespace tilewright {
namespace {

constexpr Bytes kStatistic = 4;          // bytes each, fp32
constexpr std::int64_t kStatistics = 3;  // of a row: chain_softmax.h

// A memory given away from the start.
class Room {
 public:
  explicit Room(Bytes capacity) : capacity_(capacity) {}
  Address take(Bytes bytes) {
    const Address at = taken_;
    taken_ += round_up(bytes, constants().buffer_alignment);
    return at;
  }
  Bytes left() const { return capacity_ - taken_; }
  bool fits() const { return taken_ <= capacity_; }

 private:
  Bytes capacity_, taken_ = 0;
};

class ChainLayout {
 public:
  ChainLayout(const Chain& chain, const ChainBlocks& blocks)
      : chain_(chain),
        blocks_(blocks),
        a_(chain.plan().hardware.core.buffer_a),
        b_(chain.plan().hardware.core.buffer_b),
        acc_(chain.plan().hardware.core.accumulator),
        copies_(static_cast<int>(constants().buffering)) {}

  // `copies_of_sums`: of what the last step's visits add to, where not as many as of everything else.
  std::optional<ChainAreas> run(std::optional<int> copies_of_sums = {}) {
    for (std::size_t step = 0; step < chain_.steps().size(); ++step) areas_.push_back(sizes(step));
    if (copies_of_sums) areas_.back().copies_of_c = *copies_of_sums;
    keep_b();
    for (StepAreas& step : areas_) place(step);
    return a_.fits() && b_.fits() && acc_.fits() ? std::optional(areas_) : std::nullopt;
  }

 private:
  std::int64_t depth(std::size_t step) const {
    return step == 1 ? blocks_.columns : chain_.steps()[step].part->shape().k;
  }
  std::int64_t width(std::size_t step) const {
    return step == 0 ? blocks_.columns : chain_.steps()[step].part->shape().n;
  }

  StepAreas sizes(std::size_t step) const {
    const ChainStep& at = chain_.steps()[step];
    const TilingLimits& limits = at.limits;
    StepAreas areas;
    areas.copies_of_c = copies_;
    areas.a_bytes = aligned(blocks_.rows * depth(step) * limits.d_s);
    areas.b_bytes = aligned(depth(step) * width(step) * limits.d_s);
    areas.c_bytes = aligned(blocks_.rows * width(step) * limits.acc_element);
    areas.statistics_bytes = at.softmax < 0 ? 0 : aligned(kStatistics * blocks_.rows * kStatistic);
    areas.epilogue.vectors = aligned(width(step) * limits.acc_bytes_per_column);
    areas.epilogue.elements = aligned(blocks_.rows * width(step) * limits.acc_bytes_per_element);
    return areas;
  }
  static Bytes aligned(Bytes bytes) { return round_up(bytes, constants().buffer_alignment); }

  // Blocks of operand B that come back with every row block, and those of the next batch meanwhile.
  std::int64_t all_of_b(std::size_t step) const {
    const std::int64_t blocks = step > 1 ? 1 : ceil_div(chain_.columns(), blocks_.columns);
    return blocks * (chain_.batches() > 1 && !chain_.shares_b(step) ? copies_ : 1);
  }

  void keep_b() {
    Bytes taken = 0;
    for (std::size_t step = 0; step < areas_.size(); ++step) {
      areas_[step].copies_of_b = static_cast<int>(std::min<std::int64_t>(copies_, all_of_b(step)));
      taken += areas_[step].copies_of_b * areas_[step].b_bytes;
    }
    for (std::size_t step = 0; step < areas_.size(); ++step) {
      const std::int64_t more = all_of_b(step) - areas_[step].copies_of_b;
      if (more <= 0 || taken + more * areas_[step].b_bytes > b_.left()) continue;
      areas_[step].copies_of_b += static_cast<int>(more);
      taken += more * areas_[step].b_bytes;
    }
  }

  void place(StepAreas& step) {
    step.a = a_.take(copies_ * step.a_bytes);
    step.b = b_.take(step.copies_of_b * step.b_bytes);
    step.c = acc_.take(step.copies_of_c * step.c_bytes);
    step.statistics = acc_.take(copies_ * step.statistics_bytes);
    step.epilogue.base = acc_.take(copies_ * (step.epilogue.vectors + step.epilogue.elements));
  }

  const Chain& chain_;
  const ChainBlocks& blocks_;
  Room a_, b_, acc_;
  const int copies_;
  ChainAreas areas_;
};

}  // namespace

std::optional<ChainAreas> chain_areas(const Chain& chain, const ChainBlocks& blocks) {
  auto areas = ChainLayout(chain, blocks).run();
  const bool visits_add_up = chain.columns_can_be_cut() && blocks.columns < chain.columns();
  if (!areas && visits_add_up) areas = ChainLayout(chain, blocks).run(1);
  return areas;
}

}  // namespace tilewright
