// Conv(x * s, W) with one computed factor s per channel of x is Conv(x, W * s), which costs less where W has fewer
// elements than x: the gates of squeeze-and-excitation networks (Hu et al., "Squeeze-and-Excitation Networks", 2018),
// whose product would else be a pass over the whole activation.
#pragma once

#include <cstddef>

#include "planner/graph/graph_edit.h"

namespace tilewright {

// Scales the weights of operator `conv` instead of its input, where that is possible and cheaper: nothing else reads
// the product, one factor holds for all images, and the operator that makes x could not apply s itself (s comes later).
void scale_weights(GraphEdit& edit, std::size_t conv);

}  // namespace tilewright
