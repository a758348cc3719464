// Random numbers that come out the same on every machine; the standard's distributions differ between libraries.
#pragma once

#include <cstdint>
#include <random>

namespace tilewright {

// splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += kStep;
    return mixed(state_);
  }
  // In [0, limit); the bias is below limit / 2^64.
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }
  // In [0, 1), a multiple of 2^-53.
  double unit_interval() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // The number that the call of next() after `index` others gives.
  static std::uint64_t at(std::uint64_t seed, std::uint64_t index) { return mixed(seed + (index + 1) * kStep); }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;

  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

// For searches: the same on every machine, too.
using RandomSource = std::mt19937_64;

// Uniform over 0 ... count - 1.
inline std::size_t pick(RandomSource& random, std::size_t count) {
  const std::uint64_t most = RandomSource::max() - RandomSource::max() % count;
  std::uint64_t draw = random();
  while (draw >= most) draw = random();
  return draw % count;
}

}  // namespace tilewright
