// The operands of an instruction in one form, and the bytes they touch, so that bounds and races are checked by one
// code.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <string_view>

#include "sim/base/units.h"
#include "sim/isa/instruction.h"

namespace tilewright {

struct Repeat {
  std::int64_t count = 1;
  Bytes stride = 0;
  bool operator==(const Repeat&) const = default;
};

inline constexpr int kMaxRepeats = 6;
using Repeats = std::array<Repeat, kMaxRepeats>;

// The bytes an operand touches, as a set that decides exactly whether it meets another.
// Runs of `run` bytes from `low`, repeated; no two neighbouring repeats can be merged and no run touches the next.
class Footprint {
 public:
  Footprint() = default;
  // Counts are at least 1, strides not negative, and the extent fits 63 bits.
  Footprint(Address low, Bytes element, const Repeats& repeats, int dims);

  Address low() const { return low_; }
  Address high() const { return low_ + span_; }  // one past the last byte
  bool contiguous() const { return dims_ == 0; }
  // `visit(first byte, bytes)` for every run, in rising order where strides are nested.
  template <typename Visit>
  void for_each_run(const Visit& visit) const {
    visit_runs(low_, dims_, visit);
  }
  // Whether every byte of `other` is surely in this set: exact for contiguous sets, else only where both are equal.
  bool covers(const Footprint& other) const;
  bool operator==(const Footprint& other) const;

  // Whether two sets share a byte. Exact up to a budget of steps that only sets with several unrelated strides of
  // thousands of runs exceed; then true.
  friend bool touches(const Footprint& first, const Footprint& second);

 private:
  friend class Meeting;
  template <typename Visit>
  void visit_runs(Address low, int dims, const Visit& visit) const {
    if (dims == 0) return visit(low, run_);
    const Repeat& outer = repeat_[dims - 1];
    for (std::int64_t i = 0; i < outer.count; ++i) visit_runs(low + i * outer.stride, dims - 1, visit);
  }
  void insert(Repeat repeat);
  void merge_dense(const Repeats& ascending, int count);

  Address low_ = 0;
  Bytes span_ = 0, run_ = 0;
  int dims_ = 0;
  Repeats repeat_{};                            // smallest stride first
  std::array<Bytes, kMaxRepeats + 1> inner_{};  // inner_[d]: span of the first d repeats and the run
};

bool touches(const Footprint& first, const Footprint& second);

// Whether walking the elements visits a byte twice. Strides must be nested (each at least the span of the smaller
// ones), as those of a tensor in any layout are; others count as overlapping.
bool overlaps_itself(Bytes element, const Repeats& repeats, int dims);

struct Operand {
  std::string_view role;  // "source", "target", "a", "b", "c"
  Space space = Space::kDram;
  bool write = false;
  Address address = 0;
  Bytes element = 1;
  int dims = 0;
  Repeats repeats{};
  int owner = kOwnMemory;
  bool read = true;  // its values count: what is added to is both, what no element is chosen of is neither
};

// Only a load of a sum has more than three.
using Operands = boost::container::small_vector<Operand, 3>;

// Empty for signal, wait and barrier. A load that only pads has no source. A reduction's target repeats nothing in the
// dimensions reduced over. A load of a sum has a source in each memory. What a transfer walks backwards in a buffer is
// given from its lower end on.
Operands operands_of(const Instruction& instruction);

// Only for an operand whose bounds have been checked.
Footprint footprint_of(const Operand& operand);

}  // namespace tilewright
