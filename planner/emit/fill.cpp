#include "planner/emit/fill.h"

namespace tilewright {

void fill(Pipeline& pipeline, const VectorOperand& place, const Extents& shape, double value,
          const std::vector<Slot>& slots) {
  Vector vector{.op = VectorOp::kWhere, .shape = shape, .b_is_immediate = true, .immediate = 0};
  vector.a = vector.target = place;
  pipeline.emit(Unit::kVector, vector, {}, slots);
  if (value == 0) return;
  vector.op = VectorOp::kAdd;
  vector.immediate = value;
  pipeline.emit(Unit::kVector, vector, slots, slots);
}

}  // namespace tilewright
