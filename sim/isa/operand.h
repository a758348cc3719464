// The operands of an instruction in one form, so that bounds and races are checked by one code.
#pragma once

#include <array>
#include <string_view>

#include "sim/isa/footprint.h"
#include "sim/isa/instruction.h"

namespace tilewright {

struct Operand {
  std::string_view role;  // "source", "target", "a", "b", "c"
  Space space = Space::kDram;
  bool write = false;  // or read and write
  Address address = 0;
  Bytes element = 1;
  int dims = 0;
  Repeats repeats{};
};

class Operands {
 public:
  void add(const Operand& operand) { operand_[count_++] = operand; }
  const Operand* begin() const { return operand_.data(); }
  const Operand* end() const { return operand_.data() + count_; }

 private:
  std::array<Operand, 3> operand_;
  int count_ = 0;
};

// Empty for signal, wait and barrier. A load that only pads has no source. A reduction's target repeats nothing in the
// dimensions reduced over.
Operands operands_of(const Instruction& instruction);

// Only for an operand whose bounds have been checked.
Footprint footprint_of(const Operand& operand);

}  // namespace tilewright
