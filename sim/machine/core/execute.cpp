#include "sim/machine/core/execute.h"

namespace tilewright {

void execute(const Instruction& instruction, CoreMemory& memory) {
  if (const auto* transfer = std::get_if<Transfer>(&instruction.payload)) execute_transfer(*transfer, memory);
  if (const auto* matmul = std::get_if<Matmul>(&instruction.payload)) execute_matmul(*matmul, memory);
  if (const auto* vector = std::get_if<Vector>(&instruction.payload)) execute_vector(*vector, memory);
}

}  // namespace tilewright
