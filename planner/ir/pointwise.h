// Operators of one element as instructions of the vector unit.
#pragma once

#include "planner/graph/graph.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// The vector unit's operation for a pointwise operator.
VectorOp vector_op_of(OpKind kind);

// `kind` with its immediates (kClip's limits, the largest float standing for an absent one; zero points). Operands are
// left to the caller.
Vector pointwise(OpKind kind, const Attributes& attributes);

}  // namespace tilewright
