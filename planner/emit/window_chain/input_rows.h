// The input of a step of a chain of windows in its area of buffer B: its rows loaded, or kept, and padded.
#pragma once

#include <vector>

#include "planner/emit/pipeline.h"
#include "planner/emit/window_chain/window_areas.h"

namespace tilewright {

class InputRows {
 public:
  // Everything given outlives it.
  InputRows(const Plan& plan, const WindowStep& step, const InputArea& area, Pipeline& pipeline);

  const InputArea& area() const { return area_; }
  // Of a row of the input, those of padding included, for a visit.
  std::int64_t position(std::size_t visit, std::int64_t row) const { return area_.places[visit].position(row); }
  std::vector<Slot> slots(std::size_t visit) const { return slots_of(area_.places[visit], area_.places[visit].rows); }

  // Padding beside the rows: written once.
  void fill_columns();
  // Before a visit's rows are made: moves what it keeps, writes padding above and below the image.
  void keep(std::size_t visit);
  // As above, and loads the other rows, together with as many of the visits behind it as make runs of some requests.
  void load(Range image, std::size_t visit, bool cached);
  // Where a box of this input, `b`, lies for a visit, as strides, and its address.
  Address lay_out(OperandBox& b, std::size_t visit) const;

 private:
  Range inside(Range rows) const;
  Range load_at_once(std::size_t visit);
  std::vector<Slot> slots_of(const RowPlace& place, Range rows) const;
  // Sets channels x rows x columns at a place to the padding's value.
  void fill(std::int64_t position, std::int64_t rows, std::int64_t column, std::int64_t columns,
            const std::vector<Slot>& slots);
  void move(const RowPlace& place);
  VectorOperand operand_at(Address address) const;
  Extents shape_of(std::int64_t rows, std::int64_t columns) const { return {1, 1, area_.channels, rows, columns}; }

  const Plan& plan_;
  const WindowStep& step_;
  const InputArea& area_;
  Pipeline& pipeline_;
  const TensorId tensor_;
  std::vector<Slot> slots_;  // by position
  std::size_t loaded_ = 0;   // visits whose rows are there or on their way
};

}  // namespace tilewright
