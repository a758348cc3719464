#include "planner/emit/epilogue_lowering.h"

#include "planner/emit/caching.h"
#include "planner/emit/chunk.h"
#include "planner/emit/region_moves.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/pointwise.h"

namespace tilewright {

EpilogueLowering::EpilogueLowering(const Plan& plan, OperatorId id, std::size_t item, const Contraction& part,
                                   const TilingLimits& limits, Pipeline& pipeline, const EpilogueAreas& areas,
                                   bool cached)
    : plan_(plan),
      op_(plan.graph.op(id)),
      part_(part),
      pipeline_(pipeline),
      vectors_(pipeline, areas.base, areas.vectors, areas.vectors, areas.vector_entries),
      elements_(pipeline, areas.base + areas.vector_entries * areas.vectors, areas.elements, areas.elements,
                limits.buffering) {
  std::size_t input = op_.inputs.size();
  for (const Epilogue& epilogue : op_.epilogues) {
    const bool elements = form_of(plan.graph, epilogue) == EpilogueForm::kElement;
    cached_.push_back(elements ? worth_caching(plan, id, item, input) : cached);
    input += epilogue.operand.has_value();
  }
}

void EpilogueLowering::apply(const Tile& tile, const SlotRing::Place& c) {
  apply(tile, c, {Space::kAccumulator, c, plan_.tensors[op_.output].type});
}

void EpilogueLowering::apply(const Tile& tile, const SlotRing::Place& c, const Result& result) {
  std::vector<Slot> reads{c.slot};
  const std::vector<std::size_t> needed = needed_for(tile);
  const std::vector<Operand> operands = load_operands(tile, needed, reads);
  if (needed.empty() && (accumulator() != result.type || result.space != Space::kAccumulator))
    emit(pointwise(OpKind::kIdentity, {}), tile, c, result, reads);
  for (const std::size_t i : needed) {
    const Epilogue& epilogue = op_.epilogues[i];
    Vector vector = pointwise(epilogue.kind, epilogue.attributes);
    const EpilogueForm form = form_of(plan_.graph, epilogue);
    if (form == EpilogueForm::kScalar) {
      vector.b_is_immediate = true;
      vector.immediate = *known_scalar(plan_, *epilogue.operand);
    } else if (form != EpilogueForm::kUnary) {
      vector.b = {Space::kAccumulator, operands[i].address, {}, plan_.tensors[*epilogue.operand].type};
      for (std::size_t d = 0; d < 3; ++d) vector.b.stride[kBoxDims - 3 + d] = operands[i].stride[d];
    }
    const bool last = i == needed.back();
    emit(vector, tile, c, last ? result : Result{Space::kAccumulator, c, accumulator()}, reads);
  }
}

std::vector<std::int64_t> EpilogueLowering::result_strides(const Tile& tile, std::int64_t element) const {
  const std::int64_t row = tile.n.count() * element;
  if (op_.kind == OpKind::kConv)
    return {tile.n.row.size() * tile.n.column.size() * element, row, tile.n.column.size() * element, element};
  const std::size_t rank = plan_.graph.tensor(op_.output).shape.size();
  std::vector<std::int64_t> strides(rank, tile.m.size() * row);
  strides[rank - 2] = row;
  strides[rank - 1] = element;
  return strides;
}

// All but those that add known zeros: what a mask leaves as it is.
std::vector<std::size_t> EpilogueLowering::needed_for(const Tile& tile) const {
  std::vector<std::size_t> needed;
  for (std::size_t i = tile.done; i < op_.epilogues.size(); ++i) {
    const Epilogue& epilogue = op_.epilogues[i];
    const bool adds = epilogue.kind == OpKind::kAdd && form_of(plan_.graph, epilogue) == EpilogueForm::kElement;
    if (!adds || !known_within(plan_.graph, epilogue, result_box(tile), 0, 0)) needed.push_back(i);
  }
  return needed;
}

// One entry of a ring holds the operands of all epilogues of its form, one behind the other.
std::vector<EpilogueLowering::Operand> EpilogueLowering::load_operands(const Tile& tile,
                                                                       const std::vector<std::size_t>& needed,
                                                                       std::vector<Slot>& reads) {
  std::optional<AreaRing::Found> vectors, elements;
  Bytes in_vectors = 0, in_elements = 0;
  std::vector<Operand> operands(op_.epilogues.size());
  for (const std::size_t i : needed) {
    const Epilogue& epilogue = op_.epilogues[i];
    const EpilogueForm form = form_of(plan_.graph, epilogue);
    if (is_held(epilogue, tile)) {
      reads.push_back(tile.held->place.slot);
      operands[i] = packed_operand(tile, tile.held->place.address, bytes_of(plan_.tensors[tile.held->tensor].type));
    } else if (form == EpilogueForm::kChannel) {
      const Range range = part_.epilogue_range(tile.batch, tile.m, tile.n);
      if (!vectors) reads.push_back((vectors = vectors_.find({range.begin, range.end}))->slot);
      operands[i] = load_vector(epilogue, tile, *vectors, vectors->address + in_vectors);
      in_vectors += range.size() * bytes_of(plan_.tensors[*epilogue.operand].type);
    } else if (form == EpilogueForm::kElement) {
      if (!elements) reads.push_back((elements = elements_.find(elements_key(tile, needed)))->slot);
      operands[i] = load_elements(epilogue, tile, *elements, elements->address + in_elements);
      in_elements +=
          tile.batch.size() * tile.m.size() * tile.n.count() * bytes_of(plan_.tensors[*epilogue.operand].type);
    }
  }
  return operands;
}

EpilogueLowering::Operand EpilogueLowering::packed_operand(const Tile& tile, Address address, std::int64_t element) {
  const std::int64_t row = tile.n.count() * element;
  return {address, {tile.m.size() * row, row, element}};
}

EpilogueLowering::Operand EpilogueLowering::load_vector(const Epilogue& epilogue, const Tile& tile,
                                                        const AreaRing::Found& entry, Address address) {
  const std::int64_t element = bytes_of(plan_.tensors[*epilogue.operand].type);
  load(epilogue, {part_.epilogue_range(tile.batch, tile.m, tile.n)}, address, {element}, entry);
  if (!part_.epilogue_per_row()) return {address, {0, 0, element}};
  return {address, {tile.m.size() * element, element, 0}};
}

EpilogueLowering::Operand EpilogueLowering::load_elements(const Epilogue& epilogue, const Tile& tile,
                                                          const AreaRing::Found& entry, Address address) {
  const std::int64_t element = bytes_of(plan_.tensors[*epilogue.operand].type);
  const BoxRange box = broadcast_box(plan_.graph.tensor(*epilogue.operand).shape, result_box(tile));
  const auto strides = operand_strides(tile, box, element);
  load(epilogue, box, address, strides, entry);
  if (op_.kind == OpKind::kConv) return packed_operand(tile, address, element);
  Operand operand{address, {}};
  const std::size_t rank = box.size();
  const auto stride_at = [&](std::size_t d) { return box[d].size() > 1 ? strides[d] : 0; };
  for (std::size_t d = 0; d + 2 < rank; ++d) operand.stride[0] += stride_at(d);
  operand.stride[1] = stride_at(rank - 2);
  operand.stride[2] = stride_at(rank - 1);
  return operand;
}

std::vector<std::int64_t> EpilogueLowering::operand_strides(const Tile& tile, const BoxRange& box,
                                                            std::int64_t element) const {
  if (op_.kind == OpKind::kConv) return result_strides(tile, element);
  return packed_strides(extents_of(box), static_cast<int>(element));
}

void EpilogueLowering::load(const Epilogue& epilogue, BoxRange box, Address address,
                            const std::vector<std::int64_t>& strides, const AreaRing::Found& entry) {
  if (!entry.fresh) return;
  TensorRegion region;
  region.tensor = *epilogue.operand;
  region.box = std::move(box);
  region.cached = cached_[&epilogue - op_.epilogues.data()];
  load_region(pipeline_, plan_, region, {Space::kAccumulator, address, strides}, {entry.slot});
}

// What all element operands hold for the tile: neighbours may need the same, and of known values, as of a mask, places
// far apart may be equal.
AreaRing::Key EpilogueLowering::elements_key(const Tile& tile, const std::vector<std::size_t>& needed) const {
  AreaRing::Key key;
  for (const std::size_t i : needed) {
    const Epilogue& epilogue = op_.epilogues[i];
    if (form_of(plan_.graph, epilogue) != EpilogueForm::kElement || is_held(epilogue, tile)) continue;
    key.push_back(static_cast<std::int64_t>(i));
    const Tensor& operand = plan_.graph.tensor(*epilogue.operand);
    const BoxRange box = broadcast_box(operand.shape, result_box(tile));
    for (const Range& range : box) {
      key.push_back(range.size());
      if (!operand.data) key.push_back(range.begin);
    }
    if (operand.data)
      key.push_back(static_cast<std::int64_t>(digest_of_known(plan_.graph, epilogue, result_box(tile))));
  }
  return key;
}

void EpilogueLowering::emit(Vector vector, const Tile& tile, const SlotRing::Place& c, const Result& result,
                            const std::vector<Slot>& reads) {
  const std::int64_t batch = tile.batch.size(), m = tile.m.size(), n = tile.n.count();
  const auto packed = [&](std::int64_t element) -> Strides {
    return {0, 0, batch > 1 ? m * n * element : 0, n * element, element};
  };
  vector.shape = {1, 1, batch, m, n};
  vector.a = {Space::kAccumulator, c.address, packed(bytes_of(accumulator())), accumulator()};
  vector.target = {result.space, result.place.address, packed(bytes_of(result.type)), result.type};
  if (batch == 1) vector.b.stride[kBoxDims - 3] = 0;
  if (result.stride) unfold_columns(vector, tile, result);
  pipeline_.emit(Unit::kVector, vector, reads, {result.place.slot});
}

void EpilogueLowering::unfold_columns(Vector& vector, const Tile& tile, const Result& result) {
  const std::int64_t batch = tile.batch.size(), m = tile.m.size(), columns = tile.n.column.size();
  vector.shape = {batch, m, 1, tile.n.row.size(), columns};
  for (VectorOperand* operand : {&vector.a, &vector.b}) {
    const Strides packed = operand->stride;
    operand->stride = {packed[2], packed[3], 0, packed[4] * columns, packed[4]};
  }
  const auto& [channel, row, column] = *result.stride;
  vector.target.stride = {batch > 1 ? m * channel : 0, channel, 0, row, column};
}

}  // namespace tilewright
