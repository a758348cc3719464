// Gives operators their places in a core's buffers. Each is lowered as if it were alone, from address 0 of every
// buffer; here it is moved so that its first instructions meet what earlier operators still use as little and as late
// as can be. It may be cut in two where no operand lies across the cut: the copies of a double buffer then change
// places.
#pragma once

#include <array>
#include <vector>

#include "planner/emit/hazard_linker.h"
#include "planner/ir/plan.h"

namespace tilewright {

// Where the bytes of one memory go: [0, cut) by `low_shift`, those behind by `high_shift`.
struct AreaMove {
  Address cut = 0;
  Bytes low_shift = 0, high_shift = 0;
  Address operator()(Address address) const { return address + (address < cut ? low_shift : high_shift); }
};
using AreaMoves = std::array<AreaMove, kSpaceCount>;

void move_in_buffers(Instruction& instruction, const AreaMoves& moves);

class AreaChoice {
 public:
  explicit AreaChoice(const CoreSpec& core);
  // For the next operator's instructions on the core.
  AreaMoves choose(const std::vector<Instruction>& instructions, const HazardLinker& linker);
  // Those that another core chose for instructions that touch the same bytes.
  void take(const AreaMoves& moves, const std::vector<Instruction>& instructions);

 private:
  struct Use;  // of one memory by one operator

  static std::array<Use, kSpaceCount> uses_of(const std::vector<Instruction>& instructions);
  std::vector<AreaMove> candidates(Space space, const Use& use) const;
  void moved(Space space, const Use& use, const AreaMove& move);
  AreaMove choose_one(Space space, const Use& use, const HazardLinker& linker) const;

  std::array<Bytes, kSpaceCount> capacity_{};
  std::array<Address, kSpaceCount> end_{};  // of the last operator that used the memory
};

}  // namespace tilewright
