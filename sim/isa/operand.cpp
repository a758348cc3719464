#include "sim/isa/operand.h"

#include <algorithm>
#include <limits>

namespace tilewright {
namespace {

constexpr int kStepBudget = 1 << 16;

// The repeats that move, smallest stride first. Returns their number.
int ascending(const Repeats& repeats, int dims, Repeats& out) {
  int count = 0;
  for (int d = 0; d < dims; ++d) {
    if (repeats[d].count == 1) continue;
    int place = count++;
    for (; place > 0 && out[place - 1].stride > repeats[d].stride; --place) out[place] = out[place - 1];
    out[place] = repeats[d];
  }
  return count;
}

std::int64_t floor_div(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

}  // namespace

Footprint::Footprint(Address low, Bytes element, const Repeats& repeats, int dims) : low_(low), run_(element) {
  Repeats sorted;
  const int count = ascending(repeats, dims, sorted);
  merge_dense(sorted, count);
  inner_[0] = run_;
  for (int d = 0; d < dims_; ++d) inner_[d + 1] = inner_[d] + repeat_[d].stride * (repeat_[d].count - 1);
  span_ = inner_[dims_];
}

void Footprint::merge_dense(const Repeats& sorted, int count) {
  for (int d = 0; d < count; ++d) {
    if (dims_ == 0 && sorted[d].stride <= run_) {
      run_ += sorted[d].stride * (sorted[d].count - 1);
    } else {
      insert(sorted[d]);
    }
  }
}

// Strides arrive in rising order.
void Footprint::insert(Repeat repeat) {
  if (dims_ > 0) {
    Repeat& last = repeat_[dims_ - 1];
    if (repeat.stride == last.stride) {
      last.count += repeat.count - 1;
      return;
    }
    if (repeat.stride == last.stride * last.count) {
      last.count *= repeat.count;
      return;
    }
  }
  repeat_[dims_++] = repeat;
}

bool Footprint::operator==(const Footprint& other) const {
  return low_ == other.low_ && span_ == other.span_ && run_ == other.run_ && dims_ == other.dims_ &&
         std::equal(repeat_.begin(), repeat_.begin() + dims_, other.repeat_.begin());
}

bool Footprint::covers(const Footprint& other) const {
  if (contiguous()) return low_ <= other.low_ && other.high() <= high();
  return *this == other;
}

// Compares two sets level by level, outermost stride first. With a common stride only the difference of the two indices
// matters, so tiles of one tensor are told apart in a few steps; otherwise the runs inside the common range are walked.
class Meeting {
 public:
  Meeting(const Footprint& first, const Footprint& second) : p_(first), q_(second) {}

  // The first i repeats of p and j of q; p starts `delta` bytes after q.
  bool meet(int i, int j, Bytes delta) {
    if (delta >= q_.inner_[j] || delta + p_.inner_[i] <= 0) return false;
    if ((i == 0 && j == 0) || --budget_ < 0) return true;
    const Bytes p_stride = i > 0 ? p_.repeat_[i - 1].stride : 0;
    const Bytes q_stride = j > 0 ? q_.repeat_[j - 1].stride : 0;
    if (p_stride == q_stride) {
      return walk(p_stride, 1 - q_.repeat_[j - 1].count, p_.repeat_[i - 1].count - 1, i - 1, j - 1, delta);
    }
    if (p_stride > q_stride) return walk(p_stride, 0, p_.repeat_[i - 1].count - 1, i - 1, j, delta);
    return walk(q_stride, 1 - q_.repeat_[j - 1].count, 0, i, j - 1, delta);
  }

 private:
  // Tries the shifts of p by `stride` whose remaining spans overlap.
  bool walk(Bytes stride, std::int64_t first, std::int64_t last, int i, int j, Bytes delta) {
    first = std::max(first, floor_div(-p_.inner_[i] - delta, stride) + 1);
    last = std::min(last, floor_div(q_.inner_[j] - delta - 1, stride));
    for (std::int64_t index = first; index <= last; ++index) {
      if (meet(i, j, delta + index * stride)) return true;
    }
    return false;
  }

  const Footprint& p_;
  const Footprint& q_;
  int budget_ = kStepBudget;
};

bool touches(const Footprint& first, const Footprint& second) {
  return Meeting(first, second).meet(first.dims_, second.dims_, first.low_ - second.low_);
}

bool overlaps_itself(Bytes element, const Repeats& repeats, int dims) {
  Repeats sorted;
  const int count = ascending(repeats, dims, sorted);
  Bytes covered = element;
  for (int d = 0; d < count; ++d) {
    if (sorted[d].stride < covered) return true;
    covered += sorted[d].stride * (sorted[d].count - 1);
  }
  return false;
}

namespace {

// The same bytes from the lower end on; as it is where that lies before every address.
void walk_upwards(Operand& operand, Repeat& repeat) {
  Bytes back = 0;
  Address lower = 0;
  if (__builtin_mul_overflow(repeat.stride, repeat.count - 1, &back) ||
      __builtin_add_overflow(operand.address, back, &lower) || repeat.stride == std::numeric_limits<Bytes>::min())
    return;
  operand.address = lower;
  repeat.stride = -repeat.stride;
}

Operand box_operand(std::string_view role, const Box& box, const Extents& shape, DataType type, bool write) {
  Operand operand{role, box.space, write, box.address, bytes_of(type), kBoxDims, {}, box.owner, !write};
  for (int d = 0; d < kBoxDims; ++d) {
    operand.repeats[d] = {shape[d], box.stride[d]};
    if (box.stride[d] < 0 && !is_memory(box.space, box.owner)) walk_upwards(operand, operand.repeats[d]);
  }
  return operand;
}

void add_operands(Operands& out, const Transfer& t) {
  Extents read = t.shape;
  for (int d = 0; d < kBoxDims; ++d) read[d] -= t.pad_low[d] + t.pad_high[d];
  const bool reads = std::all_of(read.begin(), read.end(), [](std::int64_t extent) { return extent > 0; });
  if (reads)
    t.summed.for_each(t.source.owner, [&](int owner) {
      out.push_back(box_operand("source", t.source, read, t.type, false));
      out.back().owner = owner;
    });
  out.push_back(box_operand("target", t.target, t.shape, t.type, true));
}

Operand matmul_operand(std::string_view role, const MatmulOperand& place, const MatmulExtents& rows,
                       const MatmulExtents& columns, DataType type, bool write) {
  Operand operand{role, place.space, write, place.address, bytes_of(type), 2 * kMatmulDims, {}, kOwnMemory, !write};
  for (int d = 0; d < kMatmulDims; ++d) {
    operand.repeats[d] = {rows[d], place.row_stride[d]};
    operand.repeats[kMatmulDims + d] = {columns[d], place.column_stride[d]};
  }
  return operand;
}

void add_operands(Operands& out, const Matmul& mm) {
  out.push_back(matmul_operand("a", mm.a, mm.m, mm.k, mm.type, false));
  out.push_back(matmul_operand("b", mm.b, mm.k, mm.n, mm.type, false));
  Operand sums = matmul_operand("c", mm.c, mm.m, mm.n, accumulator_type(mm.type), true);
  sums.read = mm.accumulate;
  out.push_back(sums);
}

Operand vector_operand(std::string_view role, const VectorOperand& place, const Extents& shape, bool write) {
  Operand operand{role, place.space, write, place.address, bytes_of(place.type), kBoxDims, {}, kOwnMemory, !write};
  for (int d = 0; d < kBoxDims; ++d) operand.repeats[d] = {shape[d], place.stride[d]};
  return operand;
}

// Chosen nowhere, whatever it holds.
bool fills_with_zeros(const Vector& v) { return v.op == VectorOp::kWhere && v.b_is_immediate && v.immediate == 0; }

void add_operands(Operands& out, const Vector& v) {
  Operand a = vector_operand("a", v.a, v.shape, false);
  a.read = !fills_with_zeros(v);
  out.push_back(a);
  if (is_binary(v.op) && !v.b_is_immediate) out.push_back(vector_operand("b", v.b, v.shape, false));
  Operand target = vector_operand("target", v.target, v.shape, true);
  target.read = v.accumulate;
  for (Repeat& repeat : target.repeats) {
    if (is_reduction(v.op) && repeat.stride == 0) repeat.count = 1;
  }
  out.push_back(target);
}

void add_operands(Operands&, const Signal&) {}
void add_operands(Operands&, const Wait&) {}
void add_operands(Operands&, const Barrier&) {}

}  // namespace

Operands operands_of(const Instruction& instruction) {
  Operands operands;
  std::visit([&](const auto& payload) { add_operands(operands, payload); }, instruction.payload);
  return operands;
}

Footprint footprint_of(const Operand& operand) {
  return {operand.address, operand.element, operand.repeats, operand.dims};
}

}  // namespace tilewright
