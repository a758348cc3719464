// Lists as sets.
#pragma once

#include <algorithm>
#include <vector>

namespace tilewright {

// In ascending order, each once.
template <typename Value>
void keep_distinct(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace tilewright
