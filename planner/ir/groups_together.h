// Groups of a part that move together, where one is a small product.
#pragma once

#include "planner/ir/contraction.h"
#include "planner/ir/tiling_limits.h"

namespace tilewright {

// Whether a tile is all of a batch's product.
bool covers_batch(const Tiling& tiling, const GemmShape& shape);

// How many batches of a part are loaded, computed and stored together: as many as fit, but few enough that loading,
// computing and storing overlap.
std::int64_t groups_together(const Contraction& part, const Tiling& tiling, const TilingLimits& limits);

}  // namespace tilewright
