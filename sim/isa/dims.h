// Which dimensions of an instruction carry information: leading dimensions of extent 1 without strides or padding are
// left out of the text and of the encoding, and reading fills them in again.
#pragma once

#include "sim/isa/instruction.h"

namespace tilewright {

// Number of trailing dimensions to keep, at least 1.
int dims_of(const Transfer& transfer);
int dims_of(const Vector& vector);

struct MatmulDims {
  int m = 1, n = 1, k = 1;
};
MatmulDims dims_of(const Matmul& matmul);

// Whether the second operand is written: a binary operation reads it, another may only carry one that differs from the
// default. An immediate stands in its place.
bool has_operand_b(const Vector& vector);

}  // namespace tilewright
