// Lists in messages, tables and options.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// Puts one more item at the end of a list: "numa|smp" and "mesh" make "numa|smp|mesh". Items are not empty.
inline void append_item(std::string& list, std::string_view separator, std::string_view item) {
  if (!list.empty()) list += separator;
  list += item;
}

// What stands between the separators, empty pieces included: "a,,b" has three. Views of `text`.
inline std::vector<std::string_view> pieces_of(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(separator, from), text.size());
    pieces.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return pieces;
}

}  // namespace tilewright
