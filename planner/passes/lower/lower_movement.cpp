// Transpose, Concat and Slice: strided boxes, cut into tiles that pass through a buffer. Gather: rows, one by one.
#include <fmt/format.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/emit/caching.h"
#include "planner/emit/chunk.h"
#include "planner/emit/copy/copy_job.h"
#include "planner/emit/copy/copy_tensor.h"
#include "planner/emit/indices.h"
#include "planner/emit/region_moves.h"
#include "planner/ir/contraction.h"
#include "planner/ir/in_place.h"
#include "planner/ir/requirement.h"
#include "planner/passes/lower/lower.h"
#include "planner/reference/reference.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class Movement final : public ChunkLowering {
 public:
  Movement(const Plan& plan, OperatorId id, std::size_t item)
      : ChunkLowering(plan, id, item),
        element_(bytes_of(type_of(op_.output))),
        room_(hardware().core.buffer_a / constants().copy_areas / element_),
        areas_(pipeline_, 0, room_ * element_, 0, static_cast<int>(constants().copy_areas)),
        ring_(pipeline_, 0, room_ * element_, static_cast<int>(constants().copy_areas)) {
    require(constants().copy_areas * element_, hardware().core.buffer_a, "buffer A");
  }

  std::vector<Instruction> run() {
    switch (traits_of(op_.kind).axes) {
      case AxisMap::kPermuted:
        transpose();
        break;
      case AxisMap::kConcatenated:
        concat();
        break;
      case AxisMap::kSliced:
        slice();
        break;
      case AxisMap::kGathered:
        gather();
        break;
      default:
        SIM_CHECK(false, "'{}' moves nothing", name_of(op_.kind));
    }
    return pipeline_.finish();
  }

 private:
  std::int64_t chunk() const { return chunk_elements(element_count(output_), room_); }

  // Moves `part` of the output from `input`, in tiles.
  void move(std::size_t input, const std::vector<AxisSource>& axes, const BoxRange& part) {
    const bool cached = worth_caching(plan_, id_, item_, input);
    const DataType type = type_of(op_.output);
    const std::vector<CopyBox> boxes = boxes_between(plan_, op_.inputs[input], op_.output, axes, part);
    TileRules rules = tile_rules(hardware(), type, constants().transpose_run_bytes);
    rules.room = rules.fair = chunk();
    if (others_write_gaps(input)) rules.burst = 1, rules.per_request = 0;
    for (const StagedTile& tile : staged_tiles(boxes, rules)) {
      const SlotRing::Place place = ring_.next();
      const CopyMemory dram{Space::kDram, 0}, buffer{Space::kBufferA, place.address};
      pipeline_.begin_step();
      for (const CopyBox& box : tile.loads)
        for (Transfer& load : transfers_of(box, TransferKind::kLoad, type, dram, buffer)) {
          load.cached = cached;
          pipeline_.load(load, place.slot);
        }
      for (const CopyBox& box : tile.stores)
        for (const Transfer& store : transfers_of(box, TransferKind::kStore, type, buffer, dram))
          pipeline_.emit(Unit::kStore, store, {place.slot}, {});
    }
  }

  // From the first element of a part of a tensor to the last one, as they lie in memory: all dimensions but the
  // outermost whole.
  BoxRange hull(BoxRange box, TensorId id) const {
    const std::vector<int> nesting = placed_view(plan_, id).nesting;
    const auto cut = std::find_if(nesting.begin(), nesting.end(), [&](int d) { return box[d].size() > 1; });
    for (auto d = cut; d < nesting.end(); ++d)
      if (d != cut) box[*d] = {0, tensor(id).shape[*d]};
    return box;
  }

  // Whether the elements between those that the part reads are written by other cores, and none of its own are: then
  // no barrier stands before the operator, and it reads no more than its own.
  bool others_write_gaps(std::size_t input) const {
    const TensorId id = op_.inputs[input];
    const WorkItem& item = plan_.operators[id_].split.items[item_];
    const BoxRange box = required_input(plan_, op_, input, item), all = hull(box, id);
    const auto crosses = [&](const BoxRange& read) {
      for (const OperatorId writer : writers_of(plan_, id))
        for (const WorkItem& other : plan_.operators[writer].split.items)
          if (other.core != item.core && other.output.size() == read.size() && overlap(read, other.output)) return true;
      return false;
    };
    return crosses(all) && !crosses(box);
  }

  std::vector<AxisSource> same_axes() const {
    std::vector<AxisSource> axes(output_.size());
    for (std::size_t d = 0; d < axes.size(); ++d) axes[d].input = d;
    return axes;
  }

  void transpose() {
    std::vector<AxisSource> axes(output_.size());
    for (std::size_t d = 0; d < axes.size(); ++d)
      axes[d].input = static_cast<std::size_t>(op_.attributes.permutation[d]);
    move(0, axes, output_);
  }

  void concat() {
    const auto axis = static_cast<std::size_t>(op_.attributes.axis);
    std::int64_t before = 0;
    const bool appends = appends_in_place(plan_, op_);
    for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
      const std::int64_t end = before + tensor(op_.inputs[input]).shape[axis];
      BoxRange part = output_;
      part[axis] = {std::max(part[axis].begin, before), std::min(part[axis].end, end)};
      std::vector<AxisSource> axes = same_axes();
      axes[axis].start = -before;
      const bool lies_there = appends && input == 0;
      if (part[axis].begin < part[axis].end && !lies_there) move(input, axes, part);
      before = end;
    }
  }

  void slice() {
    std::vector<AxisSource> axes = same_axes();
    const Attributes& a = op_.attributes;
    for (std::size_t i = 0; i < a.axes.size(); ++i)
      axes[a.axes[i]] = {static_cast<std::size_t>(a.axes[i]), a.starts[i], a.steps.empty() ? 1 : a.steps[i]};
    move(0, axes, output_);
  }

  // One load per index, several of them for one store. The output's dimensions are those
  // before the axis, those of the indices, those behind the axis.
  void gather() {
    const TensorValues indices = planned_indices(plan_.graph, op_.inputs[1], plan_.options.type);
    const Shape& index_shape = tensor(op_.inputs[1]).shape;
    const auto axis = static_cast<std::size_t>(op_.attributes.axis), index_rank = index_shape.size();
    for (const BoxRange& box : cut_box(output_, chunk(), static_cast<int>(output_.size()))) {
      pipeline_.begin_step();
      AreaRing::Key key;
      for (const Range& range : box) key.insert(key.end(), {range.begin, range.end});
      const auto area = areas_.find(key);
      const ArrayView all = packed_view(Space::kBufferA, area.address, extents_of(box), type_of(op_.output));
      BoxRange index_box(box.begin() + static_cast<std::ptrdiff_t>(axis),
                         box.begin() + static_cast<std::ptrdiff_t>(axis + index_rank));
      std::int64_t position = 0;
      for (const BoxRange& one : cut_box(index_box, 1, static_cast<int>(index_rank))) {
        const std::int64_t stride = index_rank == 0 ? 0 : all.stride[axis + index_rank - 1];
        load_row(box, axis, index_rank, index_at(indices, index_shape, one),
                 {all.space, all.address + position++ * stride, all.stride}, area.slot);
      }
      store(op_.output, box, all, area.slot);
    }
  }

  std::int64_t index_at(const TensorValues& indices, const Shape& shape, const BoxRange& at) const {
    std::int64_t linear = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) linear = linear * shape[d] + at[d].begin;
    const auto index = static_cast<std::int64_t>(indices[linear]);
    const std::int64_t size = tensor(op_.inputs[0]).shape[op_.attributes.axis];
    if (index < -size || index >= size)
      throw UserError(op_.name, fmt::format("index {} of '{}' is outside its dimension of {}", index,
                                            tensor(op_.inputs[1]).name, size));
    return index < 0 ? index + size : index;
  }

  void load_row(const BoxRange& box, std::size_t axis, std::size_t index_rank, std::int64_t index, const ChipBox& place,
                Slot slot) {
    TensorRegion region;
    region.tensor = op_.inputs[0];
    ChipBox chip{place.space, place.address, {}};
    for (std::size_t d = 0; d < box.size(); ++d) {
      if (d == axis) region.box.push_back({index, index + 1}), chip.stride.push_back(0);
      if (d >= axis && d < axis + index_rank) continue;
      region.box.push_back(box[d]);
      chip.stride.push_back(place.stride[d]);
    }
    if (axis == box.size()) region.box.push_back({index, index + 1}), chip.stride.push_back(0);
    load_region(pipeline_, plan_, region, chip, {slot});
  }

  int element_;
  std::int64_t room_;
  AreaRing areas_;  // gather
  SlotRing ring_;   // everything else
};

}  // namespace

std::vector<Instruction> lower_movement(const Plan& plan, OperatorId id, std::size_t item) {
  return Movement(plan, id, item).run();
}

}  // namespace tilewright
