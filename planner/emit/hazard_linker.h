// The instructions of one core in their plain order, with a token wherever one stream must see another's effect.
//
// What must be seen follows from the bytes that instructions touch: of each other stream, the latest instruction that
// touches a common byte, one of the two writing. One token per ordered pair of streams is enough: what a stream has
// seen only moves forward, so the k-th wait meets the k-th post. What a stream has seen by way of a third one counts,
// too.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/instruction.h"
#include "sim/isa/operand.h"

namespace tilewright {

// By stream, the number of an instruction in the core's list; -1: none.
using Latest = std::array<int, kUnitCount>;
inline constexpr Latest kNoneYet{-1, -1, -1, -1};
// By stream, the later of the two.
Latest later_of(const Latest& a, const Latest& b);

class HazardLinker {
 public:
  // Number of the next instruction.
  int size() const { return static_cast<int>(instructions_.size()); }
  // Latest instruction of each stream.
  const Latest& last() const { return last_; }
  // What `instruction` would have to wait for, and for `also`: per other stream an instruction that its own has not
  // seen complete yet, or -1.
  Latest hazards(const Instruction& instruction, const Latest& also = kNoneYet) const;
  // The latest instruction of another stream than `unit`, not seen complete by it, that conflicts with the operand; -1:
  // none.
  int latest_conflict(Unit unit, const Operand& operand) const;
  // Appends behind its hazards and behind `also`. Tokens that the instruction has already are our bug.
  int append(Instruction instruction, const Latest& also = kNoneYet);
  std::vector<Instruction> take() { return std::move(instructions_); }

  static int token(int from, int to) { return from * kUnitCount + to; }

 private:
  // One operand of an instruction; `operand` counts as operands_of() does.
  struct Touch {
    Address low, high;
    int instruction;
    std::int8_t operand;
    bool write;
  };
  using TouchList = std::vector<Touch>;

  // The latest entry after instruction `seen` that conflicts; `seen` when there is none.
  int latest_conflict(const TouchList& list, const Footprint& footprint, bool write, int seen) const;
  // Raises `after` to what the operand conflicts with.
  void raise(Latest& after, int own, const Operand& operand) const;
  // -1 for what `own` has seen.
  void forget_seen(Latest& after, int own) const;
  bool implied(int unit, const Latest& after) const;
  void wait_for(Instruction& instruction, const Latest& after);
  void remember(const Instruction& instruction, int index);

  std::vector<Instruction> instructions_;
  std::vector<Latest> complete_;  // by instruction: what has completed once it has
  std::array<Latest, kUnitCount> seen_{kNoneYet, kNoneYet, kNoneYet, kNoneYet};  // by stream: what has surely completed
  Latest last_ = kNoneYet;
  std::array<std::array<TouchList, kUnitCount>, kSpaceCount> touched_;
};

}  // namespace tilewright
