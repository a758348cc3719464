#include "planner/emit/weight_expansion.h"

#include <algorithm>

#include "planner/emit/region_moves.h"

namespace tilewright {

WeightExpansion::WeightExpansion(const Plan& plan, const Operator& op, const Contraction& part, Pipeline& pipeline,
                                 const Places& places, bool cached)
    : plan_(plan),
      op_(op),
      part_(part),
      packed_(part.packed().value()),
      pipeline_(pipeline),
      scales_at_(packed_.scales_at(places.columns, places.depth)),
      cached_(cached),
      places_(pipeline, places.base, packed_.place(places.columns, places.depth), places.copies) {}

void WeightExpansion::expand(Range batch, const Columns& columns, Range k, Address target, Slot slot) {
  from_ = places_.next(), to_ = {slot, target};
  k_ = part_.reduction(k), columns_ = columns.count();
  load(part_.b(batch, columns, k).region, from_.address, 1, from_.slot);
  TensorRegion scales;
  scales.tensor = op_.inputs[2];
  scales.box = {packed_.groups(k_), columns.column};
  load(std::move(scales), from_.address + scales_at_, packed_.scale, from_.slot);
  for (const Rows& rows : rows_of(k_)) {
    if (packed_.bits == 8) {
      emit(VectorOp::kDequantize, rows, 1);
      continue;
    }
    const Range odd{rows.first.begin | 1, rows.first.end}, even{(rows.first.begin + 1) / 2 * 2, rows.first.end};
    if (even.size() > 0) emit(VectorOp::kDequantizeLow, {even, rows.groups}, 2);
    if (odd.size() > 0) emit(VectorOp::kDequantizeHigh, {odd, rows.groups}, 2);
  }
}

// What begins or ends inside a group by itself, whole groups together. Of an odd number of rows with two in a byte, no
// two groups in a row lie alike.
std::vector<WeightExpansion::Rows> WeightExpansion::rows_of(Range k) const {
  const bool alike = packed_.bits == 8 || packed_.group % 2 == 0;
  std::vector<Rows> all;
  for (std::int64_t begin = k.begin; begin < k.end;) {
    const std::int64_t end = std::min(k.end, (begin / packed_.group + 1) * packed_.group);
    const bool whole = end - begin == packed_.group;
    const std::int64_t groups = whole && alike ? (k.end - begin) / packed_.group : 1;
    all.push_back({{begin, end}, groups});
    begin = end + (groups - 1) * packed_.group;
  }
  return all;
}

void WeightExpansion::load(TensorRegion region, Address address, Bytes element, Slot slot) {
  region.cached = cached_;
  const ChipBox chip{Space::kBufferB, address, packed_strides(region.extents(), static_cast<int>(element))};
  load_region(pipeline_, plan_, region, chip, {slot});
}

// Every `step`-th of the rows: numbers of one half of the bytes.
void WeightExpansion::emit(VectorOp op, const Rows& rows, std::int64_t step) {
  const DataType type = plan_.tensors[op_.inputs[0]].type, scale = plan_.tensors[op_.inputs[2]].type;
  const std::int64_t first = rows.first.begin, count = ceil_div(rows.first.size(), step);
  const Bytes byte_row = columns_, row = columns_ * bytes_of(type), scale_row = columns_ * packed_.scale;
  const std::int64_t byte = packed_.rows({first, first + 1}).begin - packed_.rows(k_).begin;
  const std::int64_t group = first / packed_.group - k_.begin / packed_.group;
  Vector vector{.op = op, .shape = {1, 1, rows.groups, count, columns_}};
  vector.immediate2 = op_.attributes.zero_point;
  const auto strides = [&](Bytes of_group, Bytes of_row, Bytes element) -> Strides {
    return {0, 0, rows.groups > 1 ? of_group : 0, count > 1 ? of_row : 0, columns_ > 1 ? element : 0};
  };
  vector.a = {Space::kBufferB, from_.address + byte * byte_row,
              strides(packed_.group * packed_.bits / 8 * byte_row, byte_row, 1), DataType::kInt8};
  vector.b = {Space::kBufferB, from_.address + scales_at_ + group * scale_row, strides(scale_row, 0, packed_.scale),
              scale};
  vector.target = {Space::kBufferB, to_.address + (first - k_.begin) * row,
                   strides(packed_.group * row, step * row, bytes_of(type)), type};
  pipeline_.emit(Unit::kVector, vector, {from_.slot}, {to_.slot});
}

}  // namespace tilewright
