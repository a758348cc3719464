// What an operation costs a vector unit.
#pragma once

#include "sim/hw/config/core_spec.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// Passes over the lanes that one element of `op` costs.
int passes_of(const VectorSpec& spec, VectorOp op);

}  // namespace tilewright
