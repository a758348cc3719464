#include "planner/emit/spilled_sums.h"

namespace tilewright {
namespace {

constexpr int kRow = kBoxDims - 1;

VectorOperand packed(Space space, Address address) {
  VectorOperand operand{.space = space, .address = address, .type = DataType::kFp32};
  operand.stride[kRow] = bytes_of(operand.type);
  return operand;
}

}  // namespace

SpilledSums::SpilledSums(Pipeline& pipeline, const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits)
    : pipeline_(pipeline),
      spill_(spill_of(tiling, shape, limits)),
      at_a_(spilled_at_a(tiling, shape, limits)),
      at_b_(spilled_at_b(tiling, shape, limits)) {
  if (spill_) products_.emplace(pipeline, kept_at(spill_->kept), spill_->tile, static_cast<int>(spill_->turns));
}

SlotRing::Place SpilledSums::next_product() { return products_->next(); }

VectorOperand SpilledSums::place_of(std::int64_t tile) const {
  const std::int64_t at = tile - spill_->kept;
  if (at < spill_->in_a) return packed(Space::kBufferA, at_a_ + at * spill_->tile);
  return packed(Space::kBufferB, at_b_ + (at - spill_->in_a) * spill_->tile);
}

void SpilledSums::add(std::int64_t tile, std::int64_t elements, const SlotRing::Place& product, bool first_step,
                      bool last_step) {
  const VectorOperand here = packed(Space::kAccumulator, product.address), there = place_of(tile);
  Vector vector{.op = first_step ? VectorOp::kCopy : VectorOp::kAdd};
  vector.shape[kRow] = elements;
  vector.a = here;
  if (!first_step) vector.b = there;
  vector.target = last_step ? here : there;
  pipeline_.emit(Unit::kVector, vector, {product.slot}, last_step ? std::vector{product.slot} : std::vector<Slot>{});
}

}  // namespace tilewright
