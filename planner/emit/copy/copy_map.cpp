#include "planner/emit/copy/copy_map.h"

#include <algorithm>

namespace tilewright {
namespace {

struct Part {
  std::int64_t extent, stride;
};

// A run of dimensions whose coordinates are taken as one number below `size`.
struct Group {
  std::int64_t size = 1;
  std::vector<Part> parts;  // outermost first

  // Whether every place of the parts belongs to a coordinate.
  bool exact() const {
    std::int64_t covered = 1;
    for (const Part& part : parts) covered *= part.extent;
    return covered == size;
  }
};

Group group_of(const Layout& layout, int dimension) {
  std::vector<LayoutPart> parts;
  for (const LayoutPart& part : layout.parts())
    if (part.dimension == dimension && part.extent > 1) parts.push_back(part);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const LayoutPart& a, const LayoutPart& b) { return a.block > b.block; });
  Group group{layout.shape()[dimension], {}};
  for (const LayoutPart& part : parts) group.parts.push_back({part.extent, part.stride});
  return group;
}

// Groups, outermost first; where the inner one is exact its parts simply go on inside those of the one before.
std::vector<Group> groups_of(const Layout& layout) {
  std::vector<Group> groups;
  for (int d = static_cast<int>(layout.shape().size()) - 1; d >= 0; --d) {
    Group group = group_of(layout, d);
    if (!groups.empty() && groups.front().exact()) {
      group.size *= groups.front().size;
      group.parts.insert(group.parts.end(), groups.front().parts.begin(), groups.front().parts.end());
      groups.front() = group;
    } else {
      groups.insert(groups.begin(), group);
    }
  }
  for (Group& group : groups) {
    std::vector<Part> merged;
    for (const Part& part : group.parts)
      if (!merged.empty() && merged.back().stride == part.stride * part.extent)
        merged.back() = {merged.back().extent * part.extent, part.stride};
      else
        merged.push_back(part);
    group.parts = merged;
  }
  return groups;
}

}  // namespace

std::int64_t CopySide::place_of(const std::vector<std::int64_t>& x) const {
  std::int64_t element = view.element_at(x);
  std::vector<std::int64_t> coordinate(layout.shape().size());
  for (std::size_t d = coordinate.size(); d-- > 0; element /= layout.shape()[d])
    coordinate[d] = element % layout.shape()[d];
  const std::int64_t place = layout.physical_of(coordinate);
  return piece == 0 ? place : place / piece * piece_stride + place % piece;
}

std::vector<MapStep> map_steps(const CopySide& side) {
  using Kind = MapStep::Kind;
  std::vector<MapStep> steps;
  const std::vector<Group> groups = groups_of(side.layout);
  for (std::size_t g = groups.size(); g-- > 0;) {
    steps.push_back(g > 0 ? MapStep{Kind::kDimension, groups[g].size} : MapStep{Kind::kLast});
    const std::vector<Part>& parts = groups[g].parts;
    for (std::size_t i = parts.size(); i-- > 1;) steps.push_back({Kind::kBlock, parts[i].extent, parts[i].stride});
    if (!parts.empty()) steps.push_back({Kind::kOuter, 0, parts[0].stride});
  }
  if (side.piece > 0) steps.push_back({Kind::kPiece, side.piece, side.piece_stride});
  return steps;
}

}  // namespace tilewright
