#include "sim/isa/footprint.h"

#include <algorithm>

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

}  // namespace tilewright
