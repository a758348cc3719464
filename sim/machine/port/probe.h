// A figure of a part of the chip as it stands now, for waveforms. Reading it changes nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilewright {

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
