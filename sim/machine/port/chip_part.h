// What a part of the chip asks of whoever drives it, and what it tells of itself.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/base/units.h"

namespace tilewright {

// How it asks for time: whoever owns the calendar (the SystemC kernel, a queue of events, a test) implements this and
// calls the part's evaluate() when the time has come.
class Waker {
 public:
  virtual ~Waker() = default;
  // evaluate() is to run at `time`: now or earlier, as soon as what runs now has ended; kNever: no wish. Of several
  // calls the earliest holds, so evaluate() itself asks again for what comes later.
  virtual void wake_at(Picoseconds time) = 0;
  void wake() { wake_at(0); }
};

// From when to when a program ran.
struct RunSpan {
  Picoseconds launch = 0, end = 0;  // end: the last completion
  Picoseconds length() const { return end - launch; }
};

// A figure as it stands now, for waveforms. Reading it changes nothing.
struct Probe {
  std::string name;
  int bits = 1;  // enough for every value
  std::function<std::uint64_t()> read;
};
using Probes = std::vector<Probe>;

// Bits of a count that reaches `most`.
constexpr int bits_for(std::int64_t most) {
  return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most))));
}

}  // namespace tilewright
