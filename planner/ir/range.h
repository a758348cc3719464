// Ranges of dimensions and the boxes they make.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright {

// Half-open range of one dimension.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  auto operator<=>(const Range&) const = default;
};
using BoxRange = std::vector<Range>;  // one range per dimension of a tensor

inline std::int64_t element_count(const BoxRange& box) {
  std::int64_t elements = 1;
  for (const Range& range : box) elements *= range.size();
  return elements;
}

// The distinct ranges in ascending order; nothing where they do not follow one another over the whole of 0 to `size`.
std::optional<std::vector<Range>> consecutive(std::vector<Range> ranges, std::int64_t size);

}  // namespace tilewright
