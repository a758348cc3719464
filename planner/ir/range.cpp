#include "planner/ir/range.h"

#include <algorithm>

namespace tilewright {

std::optional<std::vector<Range>> consecutive(std::vector<Range> ranges, std::int64_t size) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  std::int64_t covered = 0;
  for (const Range& range : ranges) {
    if (range.begin != covered || range.size() <= 0) return {};
    covered = range.end;
  }
  return covered == size ? std::optional(ranges) : std::nullopt;
}

}  // namespace tilewright
