// Places in a core's buffers set to one value.
#pragma once

#include <vector>

#include "planner/emit/pipeline.h"

namespace tilewright {

// Sets what lies at `place`, of `shape`, to `value`, whatever it was, be it no number.
void fill(Pipeline& pipeline, const VectorOperand& place, const Extents& shape, double value,
          const std::vector<Slot>& slots);

}  // namespace tilewright
