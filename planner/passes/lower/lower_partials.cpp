#include "planner/passes/lower/lower_partials.h"

#include <algorithm>

#include "planner/ir/contraction.h"

namespace tilewright {

PartialTiles::PartialTiles(const Plan& plan, OperatorId id, std::size_t item, Pipeline& pipeline, Address area)
    : plan_(plan),
      operator_(plan.operators[id]),
      core_(operator_.split.items[item].core),
      pipeline_(pipeline),
      area_(pipeline, area, partial_area(plan.hardware) / 2, 2) {
  if (operator_.split.items[item].k.size() > 0) partial_ = &operator_.partials.at(item);
  type_ = accumulator_type(plan.tensors[plan.graph.op(id).inputs[0]].type);
  chunk_ = partial_area(plan.hardware) / 2 / bytes_of(type_);
}

void PartialTiles::reduce(std::int64_t elements, Address address, Slot slot) {
  for (const int child : partial_->children) add_child(child, elements, address, slot);
  if (!is_root()) hand_on(elements, address, slot);
  done_ += elements * bytes_of(type_);
}

// Waits until the child's tile is there, then loads and adds it piece by piece.
void PartialTiles::add_child(int child, std::int64_t elements, Address address, Slot slot) {
  const PartialPlan& from = operator_.partials[child];
  const Space space = from.copy >= 0 ? Space::kDram : from.space;
  const Address source = (from.copy >= 0 ? from.copy : from.address) + done_;
  for (const Range& range : cut_range({0, elements}, chunk_)) {
    pipeline_.begin_step();
    const SlotRing::Place place = area_.next();
    if (range.begin == 0) pipeline_.load(Wait{partial_flag(operator_.split.items[child].core), 1}, place.slot);
    const Bytes offset = range.begin * bytes_of(type_);
    pipeline_.load(
        transfer(TransferKind::kLoad, range.size(), space, source + offset, Space::kAccumulator, place.address),
        place.slot);
    Vector add{.op = VectorOp::kAdd};
    add.shape[kBoxDims - 1] = range.size();
    const Strides packed{0, 0, 0, 0, bytes_of(type_)};
    add.a = add.target = {Space::kAccumulator, address + offset, packed, type_};
    add.b = {Space::kAccumulator, place.address, packed, type_};
    pipeline_.emit(Unit::kVector, add, {place.slot, slot}, {slot});
  }
}

void PartialTiles::hand_on(std::int64_t elements, Address address, Slot slot) {
  const Address target = partial_->address + done_;
  pipeline_.emit(Unit::kStore,
                 transfer(TransferKind::kStore, elements, Space::kAccumulator, address, partial_->space, target),
                 {slot}, {});
  if (partial_->copy >= 0)
    pipeline_.emit(
        Unit::kStore,
        transfer(TransferKind::kCopy, elements, partial_->space, target, Space::kDram, partial_->copy + done_), {}, {});
  pipeline_.emit(Unit::kStore, Signal{operator_.split.items[partial_->parent].core, partial_flag(core_)}, {}, {});
}

Transfer PartialTiles::transfer(TransferKind kind, std::int64_t elements, Space from, Address source, Space to,
                                Address target) const {
  Transfer transfer{.kind = kind, .type = type_};
  transfer.shape[kBoxDims - 1] = elements;
  const Strides packed{0, 0, 0, 0, bytes_of(type_)};
  transfer.source = {from, source, packed};
  transfer.target = {to, target, packed};
  return transfer;
}

}  // namespace tilewright
