// What an instruction does to memory: the whole effect at once, as it becomes visible at completion.
#pragma once

#include "sim/machine/core/value_memory.h"

namespace tilewright {

// Signals, waits and barriers change nothing.
void execute(const Instruction& instruction, CoreMemory& memory);

void execute_transfer(const Transfer& transfer, CoreMemory& memory);
// Sums in fp32, or exactly in int32 for int8 operands, in the order of k.
void execute_matmul(const Matmul& matmul, CoreMemory& memory);
// Computes in fp32 and rounds once; add, sub, mul, max, min, copy, negate, relu and reductions of integers are exact.
void execute_vector(const Vector& vector, CoreMemory& memory);

}  // namespace tilewright
