// Lists in messages and tables.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Puts one more item at the end of a list: "numa|smp" and "mesh" make "numa|smp|mesh". Items are not empty.
inline void append_item(std::string& list, std::string_view separator, std::string_view item) {
  if (!list.empty()) list += separator;
  list += item;
}

}  // namespace tilewright
