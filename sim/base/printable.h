// Text of files as a terminal and a line of a table can have it.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tilewright {

// Control characters as \x1b, but for those in `kept`; everything else as it is.
inline std::string printable(std::string_view text, std::string_view kept = "") {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool control = code < 0x20 || code == 0x7f;
    out += control && kept.find(c) == std::string_view::npos ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return out;
}

}  // namespace tilewright
