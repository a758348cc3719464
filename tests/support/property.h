// How many random cases a property test draws, and from which seed: those of the test (a quarter under sanitizers), or
// what TILEWRIGHT_SEED and TILEWRIGHT_CASES say. Both are printed, so that a failure can be had again. RapidCheck
// follows them, too.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/support/sanitizer.h"

namespace tilewright::test {

// Nothing without the variable; a text that is no whole number stops the test program.
inline std::optional<std::uint64_t> number_of_environment(const char* name) {
  const char* text = std::getenv(name);
  if (!text) return std::nullopt;
  const std::string digits = text;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw std::invalid_argument(std::string(name) + "='" + digits + "', expected a whole number");
  return value;
}

struct Property {
  std::uint64_t seed;
  int cases;
};

// Of `cases`, those that are drawn here: under sanitizers they take four times as long.
inline int drawn_here(int cases) { return kAddressSanitizer ? (cases + 3) / 4 : cases; }

inline Property property(std::uint64_t seed, int cases) {
  cases = drawn_here(cases);
  seed = number_of_environment("TILEWRIGHT_SEED").value_or(seed);
  cases = static_cast<int>(number_of_environment("TILEWRIGHT_CASES").value_or(static_cast<std::uint64_t>(cases)));
  std::printf("TILEWRIGHT_SEED=%llu TILEWRIGHT_CASES=%d\n", static_cast<unsigned long long>(seed), cases);
  testing::Test::RecordProperty("seed", std::to_string(seed));
  testing::Test::RecordProperty("cases", cases);
  return {seed, cases};
}

// RapidCheck reads its own variable when the first property runs; one that the user has set stays.
inline void seed_rapidcheck() {
  const auto seed = number_of_environment("TILEWRIGHT_SEED");
  auto cases = number_of_environment("TILEWRIGHT_CASES");
  if (!cases && kAddressSanitizer) cases = drawn_here(100);  // RapidCheck's own number
  if (!seed && !cases) return;
  std::string parameters;
  if (seed) parameters += "seed=" + std::to_string(*seed);
  if (cases) parameters += (seed ? " max_success=" : "max_success=") + std::to_string(*cases);
  setenv("RC_PARAMS", parameters.c_str(), 0);
}

}  // namespace tilewright::test
