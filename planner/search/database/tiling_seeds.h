// What another database knows of shapes that are to be searched: points that the searches begin with. They are of
// whatever chip, version or objective; what they cost here is measured here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "planner/search/database/tiling_database.h"

namespace tilewright {

inline constexpr std::size_t kMostSeeds = 2;  // of a shape

struct TilingSeeds {
  std::map<std::string, std::vector<TilingPoint>> points;  // by text of the shape; at least one, no two equal
  std::uint64_t source = 0;                                // of the records that were read: other records, other number

  bool empty() const { return points.empty(); }
  // None: an empty list.
  const std::vector<TilingPoint>& of(const OperatorShape& shape) const;
};

// Records of the same objective first, of these the initial ones, of these those of this version of the simulator; then
// in their order (tiling_record.h).
TilingSeeds seeds_of(const TilingDatabase& other, const std::vector<OperatorShape>& shapes, Objective objective);

}  // namespace tilewright
