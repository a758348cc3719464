// The share of one of several workers.
#pragma once

#include <cstddef>
#include <string>

namespace tilewright {

// Every count-th item from the index-th on; index counts from 1.
struct Slice {
  int index = 1, count = 1;
  bool holds(std::size_t position) const { return static_cast<int>(position % count) == index - 1; }
  bool is_all() const { return count == 1; }
};
// "2/8". UserError for anything else.
Slice parse_slice(const std::string& text);

}  // namespace tilewright
