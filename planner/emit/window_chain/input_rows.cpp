#include "planner/emit/window_chain/input_rows.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/emit/fill.h"
#include "planner/emit/region_moves.h"
#include "planner/ir/access.h"
#include "planner/ir/window_region.h"

namespace tilewright {

InputRows::InputRows(const Plan& plan, const WindowStep& step, const InputArea& area, Pipeline& pipeline)
    : plan_(plan), step_(step), area_(area), pipeline_(pipeline), tensor_(plan.graph.op(step.op).inputs[0]) {
  for (std::int64_t position = 0; position < area.length; ++position) slots_.push_back(pipeline.add_slot());
}

Range InputRows::inside(Range rows) const {
  return {std::clamp<std::int64_t>(rows.begin, 0, step_.rows), std::clamp<std::int64_t>(rows.end, 0, step_.rows)};
}

std::vector<Slot> InputRows::slots_of(const RowPlace& place, Range rows) const {
  if (rows.size() <= 0) return {};
  const auto first = slots_.begin() + place.position(rows.begin);
  return {first, first + rows.size()};
}

void InputRows::fill_columns() {
  const std::int64_t behind = area_.pad_columns + step_.columns;
  fill(0, area_.length, 0, area_.pad_columns, slots_);
  fill(0, area_.length, behind, area_.columns - behind, slots_);
}

void InputRows::keep(std::size_t visit) {
  const RowPlace& place = area_.places[visit];
  if (place.moves()) move(place);
  const Range fresh = place.fresh(), rows = inside(fresh);
  const Range above{fresh.begin, rows.size() > 0 ? rows.begin : fresh.end}, below{rows.end, fresh.end};
  fill(place.position(above.begin), above.size(), 0, area_.columns, slots_of(place, above));
  if (rows.size() > 0) fill(place.position(below.begin), below.size(), 0, area_.columns, slots_of(place, below));
}

void InputRows::load(Range image, std::size_t visit, bool cached) {
  keep(visit);
  if (visit < loaded_) return;
  const RowPlace& place = area_.places[visit];
  const Range rows = inside(load_at_once(visit));
  if (rows.size() <= 0) return;
  TensorRegion region;
  region.tensor = tensor_;
  region.box = {image, step_.input[1], rows, {0, step_.columns}};
  region.pad_low = {0, 0, 0, area_.pad_columns};
  region.pad_high = {0, 0, 0, area_.columns - area_.pad_columns - step_.columns};
  region.pad_value = step_.pad_value;
  region.cached = cached;
  const ChipBox chip{Space::kBufferB,
                     area_.at(0, place.position(rows.begin), 0),
                     {0, area_.channel_stride(), area_.row_stride(), area_.element}};
  load_region(pipeline_, plan_, region, chip, slots_of(place, rows), FirstMemory::kInTurn);
}

Range InputRows::load_at_once(std::size_t visit) {
  const RowPlace& place = area_.places[visit];
  const Bytes row = step_.columns * area_.element;
  const Bytes wanted = constants().strip_requests * plan_.hardware.core.dma.request_bytes;
  Range rows = place.fresh();
  loaded_ = visit + 1;
  // What is moved is still behind the rows; the visit behind one that needs nothing may be of another image.
  if (place.moves() || rows.size() == 0) return rows;
  for (; loaded_ < area_.places.size() && rows.size() * row < wanted; ++loaded_) {
    const RowPlace& next = area_.places[loaded_];
    const bool follows = next.fresh().begin == rows.end && next.position(rows.end) == place.position(rows.end);
    if (!follows || next.moves()) break;
    rows.end = next.rows.end;
  }
  return rows;
}

Address InputRows::lay_out(OperandBox& b, std::size_t visit) const {
  const Range rows = window_span(step_.window.axes[0], b.columns.row);
  b.region.step.clear();
  b.stride = {0, area_.channel_stride(), area_.row_stride(), area_.element};
  return area_.at(b.region.box[1].begin - step_.input[1].begin, position(visit, rows.begin), 0);
}

void InputRows::fill(std::int64_t position, std::int64_t rows, std::int64_t column, std::int64_t columns,
                     const std::vector<Slot>& slots) {
  if (rows <= 0 || columns <= 0) return;
  tilewright::fill(pipeline_, operand_at(area_.at(0, position, column)), shape_of(rows, columns), step_.pad_value,
                   slots);
}

void InputRows::move(const RowPlace& place) {
  RowPlace before = place;
  before.at = place.kept_at;
  const Range kept{place.rows.begin, place.rows.begin + place.kept};
  // Those that no window covers may never have been made.
  const std::int64_t first = area_.pad_columns + step_.input[3].begin;
  Vector copy{.op = VectorOp::kCopy, .shape = shape_of(place.kept, step_.input[3].size())};
  copy.a = operand_at(area_.at(0, place.kept_at, first));
  copy.target = operand_at(area_.at(0, place.at, first));
  pipeline_.emit(Unit::kVector, copy, slots_of(before, kept), slots_of(place, kept));
}

VectorOperand InputRows::operand_at(Address address) const {
  return {Space::kBufferB,
          address,
          {0, 0, area_.channel_stride(), area_.row_stride(), area_.element},
          plan_.tensors[tensor_].type};
}

}  // namespace tilewright
