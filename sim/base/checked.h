// Sums and products of counts that users' files give: what 64 bits do not hold is refused, not wrapped around.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/base/error.h"

namespace tilewright {

// `overflow` is called for a result that does not fit; it throws what the user is to be told, with its place.
template <typename Overflow>
std::int64_t checked_product(std::int64_t a, std::int64_t b, Overflow&& overflow) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    overflow();
  return product;
}

template <typename Overflow>
std::int64_t checked_sum(std::int64_t a, std::int64_t b, Overflow&& overflow) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) [[unlikely]]
    overflow();
  return sum;
}

// The nearest whole number; infinity and NaN are none.
template <typename Overflow>
std::int64_t checked_rounded(double value, Overflow&& overflow) {
  if (!(std::abs(value) < 0x1p63)) [[unlikely]] {
    overflow();
    return 0;
  }
  return std::llround(value);
}

// Of figures that only a fault of ours makes so large.
inline std::int64_t checked_product(std::int64_t a, std::int64_t b) {
  return checked_product(a, b, [&] { SIM_CHECK(false, "{} times {} does not fit 64 bits", a, b); });
}
inline std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  return checked_sum(a, b, [&] { SIM_CHECK(false, "{} plus {} does not fit 64 bits", a, b); });
}

}  // namespace tilewright
