// Boxes that fill each other's gaps in the output. Stored one after the other each would leave the rest of a burst or a
// request alone; stored together they are whole runs.
#pragma once

#include "planner/passes/copy/layout_copy_box.h"

namespace tilewright {

// Groups of boxes of the same counts and write strides, each inside the gaps of the first one; most have one box. Runs
// of `good_run` elements are long enough by themselves, and no group has more boxes than that.
std::vector<std::vector<CopyBox>> interleaved(std::vector<CopyBox> boxes, std::int64_t good_run);

}  // namespace tilewright
