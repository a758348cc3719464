// Operator shapes drawn at random, in sizes as networks have them.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/operator_shape.h"

namespace tilewright {

struct ShapeRange {
  std::int64_t min_macs = std::int64_t{1} << 23, max_macs = std::int64_t{1} << 27;
  DataType type = DataType::kBf16;
};

// The first `count` distinct shapes of the seed, half matrix products and half convolutions, an eighth of those
// depthwise. Sizes of M, N, K and channels: three in four a multiple of 32, the others of 16 or of nothing; images:
// three in four the sides of ImageNet networks. The same on every machine; a longer list begins with the shorter one.
std::vector<OperatorShape> random_shapes(std::size_t count, std::uint64_t seed, const ShapeRange& range);

}  // namespace tilewright
