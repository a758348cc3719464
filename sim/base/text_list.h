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

// Ascending numbers, with runs of three and more by their ends: {0, 1, 2, 4, 5} is "0-2 4 5".
inline std::string number_runs(const std::vector<int>& numbers) {
  std::string list;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (last < first + 2) last = first;
    append_item(list, " ", std::to_string(numbers[first]));
    if (last > first) list += "-" + std::to_string(numbers[last]);
    first = last + 1;
  }
  return list;
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
