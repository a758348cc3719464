// Transpose, Concat, Slice and Gather: boxes through a buffer. A chunk is chosen so that both its reads and its writes
// are long runs: elements are loaded in the order of the input and stored in the order of the output.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/graph/reference.h"
#include "planner/passes/chunk.h"
#include "planner/passes/contraction.h"
#include "planner/passes/indices.h"
#include "planner/passes/lower.h"
#include "planner/passes/requirement.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// Runs worth having on both sides of a transpose, elements.
constexpr std::int64_t kGoodRun = 64;

class Movement final : public ChunkLowering {
 public:
  Movement(const Plan& plan, OperatorId id, std::size_t item)
      : ChunkLowering(plan, id, item),
        element_(bytes_of(type_of(op_.output))),
        room_(hardware().core.buffer_a / 2 / element_),
        areas_(pipeline_, 0, room_ * element_, 0, 2) {
    require(2 * element_, hardware().core.buffer_a, "buffer A");
  }

  std::vector<Instruction> run() {
    switch (op_.kind) {
      case OpKind::kTranspose:
        transpose();
        break;
      case OpKind::kConcat:
        concat();
        break;
      case OpKind::kSlice:
        slice();
        break;
      case OpKind::kGather:
        gather();
        break;
      default:
        SIM_CHECK(false, "'{}' moves nothing", name_of(op_.kind));
    }
    return pipeline_.finish();
  }

 private:
  std::int64_t chunk() const { return chunk_elements(element_count(output_), room_); }

  void transpose() {
    const auto& permutation = op_.attributes.permutation;
    const auto input_inner = static_cast<std::size_t>(
        std::find(permutation.begin(), permutation.end(), std::ssize(permutation) - 1) - permutation.begin());
    for (const BoxRange& box : cut_square(input_inner)) {
      pipeline_.begin_step();
      TensorRegion region;
      region.tensor = op_.inputs[0];
      region.box = required_input(plan_, op_, 0, box);
      const Loaded x = load(areas_, Space::kBufferA, region, 0);
      ArrayView view = x.view;
      for (std::size_t d = 0; d < box.size(); ++d) view.stride[d] = x.view.stride[permutation[d]];
      store(op_.output, box, view, x.slot);
    }
  }

  // Boxes that are long in the output's inner dimension and in `other`, the one that is innermost in the input.
  std::vector<BoxRange> cut_square(std::size_t other) const {
    std::vector<std::int64_t> step(output_.size(), 1);
    std::int64_t room = std::max<std::int64_t>(1, chunk());
    auto grow = [&](std::size_t d, std::int64_t most) {
      const std::int64_t before = step[d];
      step[d] = std::min({output_[d].size(), most, before * room});
      room = std::max<std::int64_t>(1, room * before / step[d]);
    };
    if (!output_.empty()) grow(output_.size() - 1, kGoodRun);
    if (!output_.empty()) grow(other, kGoodRun);
    for (std::size_t d = output_.size(); d-- > 0;) grow(d, output_[d].size());
    std::vector<BoxRange> boxes{{}};
    for (std::size_t d = 0; d < output_.size(); ++d) {
      std::vector<BoxRange> next;
      for (const BoxRange& box : boxes)
        for (const Range& range : cut_range(output_[d], step[d])) {
          next.push_back(box);
          next.back().push_back(range);
        }
      boxes = std::move(next);
    }
    return boxes;
  }

  // Moves `from` of `input` to the equally shaped box `to` of the output.
  void move(std::size_t input, const TensorRegion& from, const BoxRange& to) {
    pipeline_.begin_step();
    const Loaded x = load(areas_, Space::kBufferA, from, input);
    store(op_.output, to, x.view, x.slot);
  }

  void concat() {
    const std::int64_t axis = op_.attributes.axis;
    std::int64_t before = 0;
    for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
      const BoxRange mine = required_input(plan_, op_, input, output_);
      if (element_count(mine) > 0)
        for (const BoxRange& box : cut_box(mine, chunk(), static_cast<int>(mine.size()))) {
          TensorRegion region;
          region.tensor = op_.inputs[input];
          region.box = box;
          BoxRange to = box;
          to[axis] = {box[axis].begin + before, box[axis].end + before};
          move(input, region, to);
        }
      before += tensor(op_.inputs[input]).shape[axis];
    }
  }

  void slice() {
    for (const BoxRange& box : cut_box(output_, chunk(), static_cast<int>(output_.size()))) {
      TensorRegion region;
      region.tensor = op_.inputs[0];
      region.box = required_input(plan_, op_, 0, box);
      region.step.assign(box.size(), 1);
      for (std::size_t i = 0; i < op_.attributes.axes.size(); ++i)
        if (!op_.attributes.steps.empty()) region.step[op_.attributes.axes[i]] = op_.attributes.steps[i];
      move(0, region, box);
    }
  }

  // One load per index, several of them for one store. The output's dimensions are those
  // before the axis, those of the indices, those behind the axis.
  void gather() {
    const TensorValues indices = planned_indices(plan_.graph, op_.inputs[1]);
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
    for (const Transfer& transfer : transfers_of(plan_, region, chip, TransferKind::kLoad))
      pipeline_.load(transfer, slot);
  }

  int element_;
  std::int64_t room_;
  AreaRing areas_;
};

}  // namespace

std::vector<Instruction> lower_movement(const Plan& plan, OperatorId id, std::size_t item) {
  return Movement(plan, id, item).run();
}

}  // namespace tilewright
