// A contraction's size as the numbers its loops run over, apart from everything that is no loop. Shapes of one family
// differ in nothing but these numbers, so that a tiling of one can be tried on another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/graph/operator_shape.h"
#include "planner/ir/tiling_point.h"

namespace tilewright {

// In this order:
//   matmul                 B, M, N, K
//   conv                   N, H, W, Ci, Co   H and W in output positions (with the usual pads: input / stride)
//   conv in several groups N, H, W, G        the channels of a group belong to the family
using ShapeExtents = std::vector<std::int64_t>;

// Kind, type and every attribute that is no extent: "matmul bf16", "conv bf16 3x3 stride 1 pad 1".
std::string family_of(const OperatorShape& shape);
ShapeExtents extents_of(const OperatorShape& shape);
const std::vector<std::string_view>& extent_names(const OperatorShape& shape);
// The shape of the same family with other extents.
OperatorShape with_extents(const OperatorShape& shape, const ShapeExtents& extents);
// Product of the extents: proportional to the multiply-adds within a family.
double size_of(const ShapeExtents& extents);

// What one round of `point`'s loops advances each extent by, all cores together: the split size of the core level. An
// extent that is a multiple of its granule takes whole rounds.
ShapeExtents granules_of(const TilingPoint& point, const OperatorShape& shape);

// size_of() the extents rounded up to whole rounds.
double padded_size(const ShapeExtents& extents, const ShapeExtents& granules);

// `point` with parts, partitions and tiles cut to what `shape` has, so that a larger shape of the family repeats
// exactly the rounds that `shape` runs.
TilingPoint cut_to(const TilingPoint& point, const OperatorShape& shape);

}  // namespace tilewright
