// Quantities of the simulated machine. Time is integer picoseconds; a cycle count only has meaning with its Clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tilewright {

using Picoseconds = std::int64_t;
using Cycles = std::int64_t;
using Bytes = std::int64_t;
using Address = std::int64_t;

inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();
inline constexpr Cycles kNeverCycle = std::numeric_limits<Cycles>::max();

// One clock domain. The period is rounded once, when the hardware file is resolved; everything after is integer.
struct Clock {
  Picoseconds period_ps = 1000;

  Picoseconds to_ps(Cycles cycles) const { return cycles * period_ps; }
  // Last edge at or before `time`.
  Cycles floor(Picoseconds time) const { return time / period_ps; }
  // First edge at or after `time`.
  Cycles ceil(Picoseconds time) const { return (time + period_ps - 1) / period_ps; }
  Picoseconds align_up(Picoseconds time) const { return ceil(time) * period_ps; }
  double megahertz() const { return 1e6 / static_cast<double>(period_ps); }

  bool operator==(const Clock&) const = default;
};

template <typename T>
constexpr T ceil_div(T value, T divisor) {
  return (value + divisor - 1) / divisor;
}

template <typename T>
constexpr T round_up(T value, T multiple) {
  return ceil_div(value, multiple) * multiple;
}

// Calls `piece(address, bytes)` for the pieces of `bytes` bytes from `address` on, cut at the multiples of `chunk`, in
// ascending order.
template <typename Piece>
void for_each_chunk(Address address, Bytes bytes, Bytes chunk, Piece&& piece) {
  const Address end = address + bytes;
  while (address < end) {
    const Bytes size = std::min(end - address, chunk - address % chunk);
    piece(address, size);
    address += size;
  }
}

}  // namespace tilewright
