// What random cases are drawn from: numbers of a seed, the same on every machine, which the distributions of the
// standard library are not.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <vector>

namespace tilewright::test {

class RandomDraws {
 public:
  explicit RandomDraws(std::uint64_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + between(0, std::ssize(values) - 1));
  }
  template <typename T>
  T one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(between(0, std::ssize(values) - 1))];
  }

 protected:
  std::mt19937_64 random_;
};

}  // namespace tilewright::test
