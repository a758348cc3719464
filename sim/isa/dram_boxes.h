// Where an instruction reaches DRAM, for whoever lays segments elsewhere.
#pragma once

#include <variant>
#include <vector>

#include "sim/isa/instruction.h"

namespace tilewright {

// Its boxes that lie in DRAM; they live as long as it does.
inline std::vector<Box*> dram_boxes(Instruction& instruction) {
  std::vector<Box*> boxes;
  if (auto* transfer = std::get_if<Transfer>(&instruction.payload))
    for (Box* box : {&transfer->source, &transfer->target})
      if (box->space == Space::kDram) boxes.push_back(box);
  return boxes;
}

}  // namespace tilewright
