#include "planner/emit/chain/chain_softmax.h"

#include <limits>
#include <utility>

#include "sim/base/error.h"

namespace tilewright {

RunningSoftmax::RunningSoftmax(Pipeline& pipeline, const Hardware& hardware, const Places& places, std::int64_t rows,
                               bool whole)
    : pipeline_(pipeline),
      rows_on_lanes_(hardware.core.vector.reduction_cycles > 0),
      places_(places),
      rows_(rows),
      whole_(whole) {}

// One value per row, repeated along the columns.
ArrayView RunningSoftmax::statistic(int which, std::int64_t columns) const {
  const std::int64_t element = bytes_of(DataType::kFp32);
  const Address address = place_of(which).address + (which == kOther ? rows_ * element : 0);
  return {Space::kAccumulator, address, {element, columns > 1 ? 0 : element}, DataType::kFp32};
}

void RunningSoftmax::emit(Vector vector, std::int64_t columns, const ArrayView& target, const ArrayView& a,
                          const ArrayView* b, std::vector<Slot> reads, Slot written) {
  const auto instruction = on_arrays(std::move(vector), {rows_, columns}, target, a, b, rows_on_lanes_);
  SIM_CHECK(instruction, "a matrix of more than five dimensions");
  pipeline_.emit(Unit::kVector, *instruction, std::move(reads), {written});
}

void RunningSoftmax::on_rows(Vector vector, int target, int a, std::optional<int> b) {
  const ArrayView second = statistic(b.value_or(a), 1);
  emit(std::move(vector), 1, statistic(target, 1), statistic(a, 1), b ? &second : nullptr,
       {slot_of(target), slot_of(b.value_or(a))}, slot_of(target));
}

// The old maximum's place then holds the factor by which what was summed up shrinks.
void RunningSoftmax::update_maximum(const Block& block) {
  const int fresh = first_ ? maximum_ : factor_;
  emit({.op = VectorOp::kReduceMax}, block.columns, statistic(fresh, block.columns), block.scores, nullptr,
       {block.scores_slot, slot_of(fresh)}, slot_of(fresh));
  if (whole_) return;
  // A block may be hidden altogether by infinities.
  const double lowest = std::numeric_limits<float>::lowest();
  on_rows({.op = VectorOp::kMax, .b_is_immediate = true, .immediate = lowest}, fresh, fresh);
  if (first_) return;
  on_rows({.op = VectorOp::kMax}, fresh, fresh, maximum_);
  on_rows({.op = VectorOp::kSub}, maximum_, maximum_, fresh);
  on_rows({.op = VectorOp::kExp}, maximum_, maximum_);
  std::swap(maximum_, factor_);
}

void RunningSoftmax::add(const Block& block) {
  update_maximum(block);
  const ArrayView maximum = statistic(maximum_, block.columns);
  const std::vector<Slot> reads{block.scores_slot, slot_of(maximum_)};
  emit({.op = VectorOp::kSub}, block.columns, block.scores, block.scores, &maximum, reads, block.scores_slot);
  emit({.op = VectorOp::kExp}, block.columns, block.target, block.scores, nullptr, reads, block.target_slot);
  if (!first_) on_rows({.op = VectorOp::kMul}, kSum, kSum, factor_);
  if (places_.one)
    left_ = Sums{block, !first_};
  else
    emit({.op = VectorOp::kReduceAdd, .accumulate = !first_}, block.columns, statistic(kSum, block.columns),
         block.target, nullptr, {block.target_slot, slot_of(kSum)}, slot_of(kSum));
  first_ = false;
}

void RunningSoftmax::add_up() {
  if (!left_) return;
  const auto& [block, accumulate] = *left_;
  pipeline_.emit(Unit::kMatmul,
                 row_sums(block.target, {rows_, block.columns}, places_.one->address, places_.sums.address, accumulate),
                 {block.target_slot, places_.one->slot, slot_of(kSum)}, {slot_of(kSum)});
  left_.reset();
}

void RunningSoftmax::rescale(const ArrayView& sums, Slot slot, std::int64_t columns) {
  const ArrayView factor = statistic(factor_, columns);
  emit({.op = VectorOp::kMul}, columns, sums, sums, &factor, {slot, slot_of(factor_)}, slot);
}

void RunningSoftmax::divide(const ArrayView& sums, const ArrayView& target, Slot slot, std::int64_t columns) {
  on_rows({.op = VectorOp::kReciprocal}, kSum, kSum);
  const ArrayView factor = statistic(kSum, columns);
  emit({.op = VectorOp::kMul}, columns, target, sums, &factor, {slot, slot_of(kSum)}, slot);
}

}  // namespace tilewright
