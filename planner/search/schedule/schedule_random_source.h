// Random choices that come out the same on every machine: the standard's distributions are not specified that far.
#pragma once

#include <cstdint>
#include <random>

namespace tilewright {

using RandomSource = std::mt19937_64;

// Uniform over 0 ... count - 1.
inline std::size_t pick(RandomSource& random, std::size_t count) {
  const std::uint64_t most = RandomSource::max() - RandomSource::max() % count;
  std::uint64_t draw = random();
  while (draw >= most) draw = random();
  return draw % count;
}

}  // namespace tilewright
