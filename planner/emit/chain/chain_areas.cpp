#include "planner/emit/chain/chain_areas.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/emit/chain/vector_relief.h"

namespace tilewright {
namespace {

constexpr Bytes kStatistic = 4;      // bytes each, fp32
constexpr std::int64_t kMaxima = 2;  // of a row: chain_softmax.h
// Of a block whose rows are finished a few at a time. More take less room, and more instructions.
constexpr std::int64_t kStrips = 8;

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

// What forms the sums of a softmax's rows. The array needs a one beside operands B; where these fill the buffer, the
// next batch's operand of the product behind the softmax is loaded when this batch's is no longer read, meanwhile
// scores and softmax of its first rows are computed.
enum class RowSums { kOnArray, kOnArrayInTurn, kOnVector };

class ChainLayout {
 public:
  // `copies_of_sums`, `finished_rows`: of the last step.
  ChainLayout(const Chain& chain, const ChainBlocks& blocks, int copies_of_sums, std::int64_t finished_rows,
              RowSums sums)
      : chain_(chain),
        blocks_(blocks),
        a_(chain.plan().hardware.core.buffer_a),
        b_(chain.plan().hardware.core.buffer_b),
        acc_(chain.plan().hardware.core.accumulator),
        copies_(static_cast<int>(constants().buffering)),
        copies_of_sums_(copies_of_sums),
        finished_rows_(finished_rows),
        row_sums_(sums) {}

  std::optional<ChainAreas> run() {
    for (std::size_t step = 0; step < chain_.steps().size(); ++step) areas_.push_back(sizes(step));
    if (row_sums_ != RowSums::kOnVector) place_ones();
    keep_b();
    for (StepAreas& step : areas_) place(step);
    return a_.fits() && b_.fits() && acc_.fits() ? std::optional(areas_) : std::nullopt;
  }

 private:
  std::int64_t depth(std::size_t step) const { return chain_.block_depth(step, blocks_); }
  std::int64_t width(std::size_t step) const { return chain_.block_width(step, blocks_); }

  StepAreas sizes(std::size_t step) const {
    const ChainStep& at = chain_.steps()[step];
    const TilingLimits& limits = at.limits;
    StepAreas areas;
    const bool is_last = step + 1 == chain_.steps().size();
    areas.copies_of_c = is_last ? copies_of_sums_ : copies_;
    areas.finished_rows = is_last ? finished_rows_ : blocks_.rows;
    const bool has_own_a = step == 0 || !chain_.in_head(step);
    areas.a_bytes = has_own_a ? aligned(blocks_.rows * depth(step) * limits.d_s) : 0;
    areas.b_bytes = aligned(depth(step) * width(step) * limits.d_s);
    areas.c_bytes = aligned(blocks_.rows * width(step) * limits.acc_element);
    areas.maxima_bytes = at.softmax < 0 ? 0 : aligned(kMaxima * blocks_.rows * kStatistic);
    areas.sums_bytes = at.softmax < 0 ? 0 : aligned(blocks_.rows * kStatistic);
    areas.epilogue.vectors = aligned(width(step) * limits.acc_bytes_per_column);
    areas.epilogue.elements = aligned(areas.finished_rows * width(step) * limits.acc_bytes_per_element);
    return areas;
  }
  static Bytes aligned(Bytes bytes) { return round_up(bytes, constants().buffer_alignment); }

  // For each softmax between two products.
  void place_ones() {
    for (std::size_t step = 0; step + 1 < areas_.size(); ++step)
      if (chain_.steps()[step].softmax >= 0) areas_[step].one = b_.take(chain_.steps()[step].limits.d_s);
  }

  // Blocks of operand B that come back with every row block, and those of the next batch meanwhile.
  std::int64_t all_of_b(std::size_t step) const {
    const bool comes_in_blocks = chain_.in_head(step) || chain_.sums_columns(step);
    const std::int64_t blocks = comes_in_blocks ? ceil_div(chain_.columns(), blocks_.columns) : 1;
    return blocks * (chain_.batches() > 1 && !chain_.shares_b(step) ? copies_ : 1);
  }

  // Whether one batch's operand B follows the other in one place.
  bool in_turn(std::size_t step) const {
    return row_sums_ == RowSums::kOnArrayInTurn && chain_.sums_columns(step) && blocks_.columns == chain_.columns();
  }

  void keep_b() {
    Bytes taken = 0;
    for (std::size_t step = 0; step < areas_.size(); ++step) {
      areas_[step].copies_of_b = in_turn(step) ? 1 : static_cast<int>(std::min<std::int64_t>(copies_, all_of_b(step)));
      taken += areas_[step].copies_of_b * areas_[step].b_bytes;
    }
    for (std::size_t step = 0; step < areas_.size(); ++step) {
      const std::int64_t more = all_of_b(step) - areas_[step].copies_of_b;
      if (more <= 0 || taken + more * areas_[step].b_bytes > b_.left()) continue;
      areas_[step].copies_of_b += static_cast<int>(more);
      taken += more * areas_[step].b_bytes;
    }
    load_further_ahead(taken);
  }

  // Of what is read again for each row block, a place more of each while there is room.
  void load_further_ahead(Bytes taken) {
    const auto is_read_again = [&](std::size_t step) { return areas_[step].copies_of_b < all_of_b(step); };
    for (bool more = true; more;) {
      more = false;
      for (std::size_t step = 0; step < areas_.size(); ++step) {
        if (!is_read_again(step) || taken + areas_[step].b_bytes > b_.left()) continue;
        ++areas_[step].copies_of_b;
        taken += areas_[step].b_bytes;
        more = true;
      }
    }
  }

  void place(StepAreas& step) {
    step.a = a_.take(copies_ * step.a_bytes);
    step.b = b_.take(step.copies_of_b * step.b_bytes);
    step.c = acc_.take(step.copies_of_c * step.c_bytes);
    step.maxima = acc_.take(copies_ * step.maxima_bytes);
    step.sums = acc_.take(copies_ * step.sums_bytes);
    step.epilogue.base = acc_.take(copies_ * (step.epilogue.vectors + step.epilogue.elements));
  }

  const Chain& chain_;
  const ChainBlocks& blocks_;
  Room a_, b_, acc_;
  const int copies_, copies_of_sums_;
  const std::int64_t finished_rows_;
  const RowSums row_sums_;
  ChainAreas areas_;
};

// How many rows of the last result may be finished at a time, the most first.
std::vector<std::int64_t> finished_rows(const Chain& chain, std::int64_t rows) {
  const std::size_t last = chain.steps().size() - 1;
  if (chain.in_head(last) || chain.steps()[last].limits.acc_bytes_per_element == 0) return {rows};
  return {rows, ceil_div(rows, kStrips)};
}

}  // namespace

std::optional<ChainAreas> chain_areas(const Chain& chain, const ChainBlocks& blocks) {
  const int copies = static_cast<int>(constants().buffering);
  const bool visits_add_up = chain.columns_can_be_cut() && blocks.columns < chain.columns();
  const VectorRelief relief = vector_relief(chain, blocks);
  std::vector<RowSums> sums{RowSums::kOnVector};
  if (relief.sums_on_array) sums = {RowSums::kOnArray, RowSums::kOnArrayInTurn, RowSums::kOnVector};
  for (int of_sums = copies; of_sums >= (visits_add_up ? 1 : copies); --of_sums)
    for (const std::int64_t rows : finished_rows(chain, blocks.rows))
      for (const RowSums unit : sums)
        if (auto areas = ChainLayout(chain, blocks, of_sums, rows, unit).run()) {
          areas->front().factor_on_rows = relief.factor_on_rows;
          return areas;
        }
  return std::nullopt;
}

}  // namespace tilewright
