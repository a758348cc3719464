// Operators of one element as instructions of the vector unit.
#pragma once

#include <optional>

#include "planner/graph/graph.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// The vector unit's operation for an operator of one or two operands; nothing for the others.
std::optional<VectorOp> vector_op_of(OpKind kind);

// `kind` with its immediates (kClip's limits; the largest float stands for an absent one). Operands are left to the
// caller.
Vector pointwise(OpKind kind, const Attributes& attributes);

}  // namespace tilewright
