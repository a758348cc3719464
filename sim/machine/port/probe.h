// What a part of the chip tells of itself: statistics of a run, and figures as they stand now, for waveforms.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/base/units.h"

namespace tilewright {

// From when to when a program ran.
struct RunSpan {
  Picoseconds launch = 0, end = 0;  // end: the last completion
  Picoseconds length() const { return end - launch; }
};

// For waveforms. Reading it changes nothing.
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
