#include "planner/measure/slice.h"

#include <fmt/format.h>

#include <regex>

#include "sim/base/error.h"

namespace tilewright {

Slice parse_slice(const std::string& text) {
  static const std::regex form("([0-9]{1,6})/([0-9]{1,6})");
  std::smatch parts;
  Slice slice;
  const bool good = std::regex_match(text, parts, form);
  if (good) slice = {std::stoi(parts[1]), std::stoi(parts[2])};
  if (!good || slice.index < 1 || slice.index > slice.count)
    throw UserError("--slice", fmt::format("got '{}', expected i/n with i from 1 to n, e.g. 2/8", text));
  return slice;
}

}  // namespace tilewright
