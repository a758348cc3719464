#include "planner/emit/chunk.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/emit/caching.h"
#include "planner/emit/region_moves.h"
#include "planner/ir/contraction.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Extents and the strides of up to three operands, folded to at most five dimensions.
struct FoldedDim {
  std::int64_t extent;
  std::array<std::int64_t, 3> stride;
};

bool one_run(const FoldedDim& outer, const FoldedDim& inner) {
  for (std::size_t i = 0; i < outer.stride.size(); ++i)
    if (outer.stride[i] != inner.stride[i] * inner.extent) return false;
  return true;
}

std::vector<FoldedDim> fold_dims(const std::vector<std::int64_t>& extents,
                                 const std::array<const ArrayView*, 3>& views) {
  std::vector<FoldedDim> folded;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    FoldedDim dim{extents[d], {}};
    for (std::size_t i = 0; i < views.size(); ++i) dim.stride[i] = views[i] ? views[i]->stride[d] : 0;
    if (!folded.empty() && one_run(folded.back(), dim)) {
      dim.extent *= folded.back().extent;
      folded.back() = dim;
    } else {
      folded.push_back(dim);
    }
  }
  return folded;
}

// The dimensions reduced over (target's stride 0) go outside, so that the lanes, which run along the last dimension,
// each keep their own results.
void keep_lanes(std::vector<FoldedDim>& folded) {
  std::stable_partition(folded.begin(), folded.end(), [](const FoldedDim& dim) { return dim.stride[0] == 0; });
}

}  // namespace

ArrayView packed_view(Space space, Address address, const std::vector<std::int64_t>& extents, DataType type) {
  return {space, address, packed_strides(extents, bytes_of(type)), type};
}

std::optional<Vector> on_arrays(Vector vector, const std::vector<std::int64_t>& extents, const ArrayView& target,
                                const ArrayView& a, const ArrayView* b, bool rows_on_lanes) {
  auto folded = fold_dims(extents, {&target, &a, b});
  if (is_reduction(vector.op) && rows_on_lanes) keep_lanes(folded);
  if (folded.size() > kBoxDims) return std::nullopt;
  vector.target = {target.space, target.address, {}, target.type};
  vector.a = {a.space, a.address, {}, a.type};
  if (b) vector.b = {b->space, b->address, {}, b->type};
  std::size_t at = kBoxDims - folded.size();
  for (const FoldedDim& dim : folded) {
    vector.shape[at] = dim.extent;
    vector.target.stride[at] = dim.stride[0];
    vector.a.stride[at] = dim.stride[1];
    vector.b.stride[at++] = dim.stride[2];
  }
  return vector;
}

std::vector<std::int64_t> extents_of(const BoxRange& box) {
  std::vector<std::int64_t> extents;
  for (const Range& range : box) extents.push_back(range.size());
  return extents;
}

std::vector<BoxRange> cut_box(const BoxRange& box, std::int64_t at_most, int free_dimensions,
                              const std::vector<bool>& whole) {
  std::vector<std::int64_t> step(box.size(), 1);
  std::int64_t room = std::max<std::int64_t>(1, at_most);
  for (std::size_t d = 0; d < box.size(); ++d)
    if (!whole.empty() && whole[d]) {
      step[d] = box[d].size();
      room = std::max<std::int64_t>(1, room / step[d]);
    }
  bool open = true;  // until a dimension had to be cut
  for (std::size_t d = box.size(); d-- > 0 && open;) {
    if (!whole.empty() && whole[d]) continue;
    if (std::ssize(box) - static_cast<std::ptrdiff_t>(d) > free_dimensions) break;
    step[d] = std::min(box[d].size(), room);
    open = step[d] == box[d].size();
    room = std::max<std::int64_t>(1, room / step[d]);
  }
  std::vector<BoxRange> boxes{{}};
  for (std::size_t d = 0; d < box.size(); ++d) {
    std::vector<BoxRange> next;
    for (const BoxRange& outer : boxes)
      for (const Range& range : cut_range(box[d], step[d])) {
        next.push_back(outer);
        next.back().push_back(range);
      }
    boxes = std::move(next);
  }
  return boxes;
}

std::int64_t chunk_elements(std::int64_t total, std::int64_t fit) {
  return std::min(fit, std::max(constants().min_chunk_elements, ceil_div(total, constants().chunks_to_overlap)));
}

ChunkLowering::ChunkLowering(const Plan& plan, OperatorId id, std::size_t item)
    : plan_(plan),
      id_(id),
      op_(plan.graph.op(id)),
      item_(item),
      output_(plan.operators[id].split.items.at(item).output),
      pipeline_(pipeline_of(plan, id, item)) {
  for (std::size_t input = 0; input < op_.inputs.size(); ++input)
    cached_.push_back(worth_caching(plan, id, item, input));
}

ChunkLowering::Loaded ChunkLowering::load(AreaRing& ring, Space space, TensorRegion region, std::size_t input) {
  AreaRing::Key key{region.tensor};
  for (const Range& range : region.box) key.insert(key.end(), {range.begin, range.end});
  const auto found = ring.find(key);
  region.cached = cached_[input];
  const ArrayView view = packed_view(space, found.address, region.extents(), type_of(region.tensor));
  if (found.fresh) load_region(pipeline_, plan_, region, {space, view.address, view.stride}, {found.slot});
  return {view, found.slot};
}

void ChunkLowering::compute(Vector vector, const std::vector<std::int64_t>& extents, const ArrayView& target,
                            const ArrayView& a, const ArrayView* b, std::vector<Slot> reads, Slot written) {
  const bool rows_on_lanes = hardware().core.vector.reduction_cycles > 0 && !layout_is_given();
  const auto instruction = on_arrays(std::move(vector), extents, target, a, b, rows_on_lanes);
  SIM_CHECK(instruction, "a vector instruction of more than {} dimensions for '{}'", kBoxDims, op_.name);
  pipeline_.emit(Unit::kVector, *instruction, std::move(reads), {written});
}

bool ChunkLowering::layout_is_given() const {
  return tensor(storage_of(plan_, op_.inputs[0])).kind == TensorKind::kInput;
}

void ChunkLowering::store(TensorId output, const BoxRange& box, const ArrayView& view, Slot slot) {
  TensorRegion region;
  region.tensor = output;
  region.box = box;
  store_region(pipeline_, plan_, region, {view.space, view.address, view.stride}, slot);
}

void ChunkLowering::require(Bytes need, Bytes have, const char* memory) const {
  if (need <= have) return;
  throw UserError(place_of(op_),
                  fmt::format("its smallest chunk needs {} bytes of {}, which has {}", need, memory, have));
}

}  // namespace tilewright
