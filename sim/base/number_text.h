// Texts that are a number and nothing else.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace tilewright {

// Nothing where anything stands before or behind the number, or it does not fit.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace tilewright
