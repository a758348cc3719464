// Texts that are a number and nothing else.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace tilewright {

// Nothing where anything stands before or behind the number, or it does not fit. `base`: of a whole number, if not 10.
template <typename Number, typename... Base>
std::optional<Number> number_of(std::string_view text, Base... base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace tilewright
