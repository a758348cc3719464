#include "planner/emit/weight_scaling.h"

#include "planner/emit/region_moves.h"

namespace tilewright {

WeightScaling::WeightScaling(const Plan& plan, const Contraction& part, Pipeline& pipeline, const Places& places,
                             bool cached)
    : plan_(plan),
      part_(part),
      pipeline_(pipeline),
      places_(pipeline, places.base, places.bytes, 0, places.copies),
      cached_(cached) {}

void WeightScaling::scale(const OperandBox& weights, Range k, Address address, Slot slot) {
  const AreaRing::Found factors = loaded(k);
  const auto extents = weights.region.extents();
  const DataType type = plan_.tensors[part_.tensor_a()].type;
  const auto strides = packed_strides(extents, bytes_of(type));
  Vector vector{.op = VectorOp::kMul};
  Strides of_weights{}, of_factors{};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    vector.shape[d + 1] = extents[d];
    of_weights[d + 1] = extents[d] > 1 ? strides[d] : 0;
  }
  of_factors[2] = extents[1] > 1 ? bytes_of(type) : 0;  // by channel
  vector.target = vector.a = {Space::kBufferA, address, of_weights, type};
  vector.b = {Space::kBufferA, factors.address, of_factors, type};
  pipeline_.emit(Unit::kVector, vector, {factors.slot}, {slot});
}

// Those of the same channels are loaded once while they lie there.
AreaRing::Found WeightScaling::loaded(Range k) {
  const AreaRing::Found place = places_.find({k.begin, k.end});
  if (!place.fresh) return place;
  TensorRegion region = part_.factors(k).value();
  region.cached = cached_;
  const Bytes element = bytes_of(plan_.tensors[region.tensor].type);
  const ChipBox chip{Space::kBufferA, place.address, packed_strides(region.extents(), static_cast<int>(element))};
  load_region(pipeline_, plan_, region, chip, {place.slot});
  return place;
}

}  // namespace tilewright
