// Instructions of one core for one operator, with tokens and program order made from what each instruction touches.
//
// A lowering names areas of on-chip memory (slots) and says, instruction by instruction in the plain order of the
// computation, which slots are read and written. The pipeline then
//  - moves loads ahead of the step that needs them, as far as their slot is free and at most `lookahead` loads, so that
//    they run while earlier steps compute;
//  - puts a token between two streams wherever one must see the other's effect. One token per ordered pair of streams
//  is
//    enough: what a stream has waited for only moves forward, so the k-th wait meets the k-th post.
#pragma once

#include <array>
#include <vector>

#include "sim/isa/instruction.h"

namespace tilewright {

using Slot = int;

class Pipeline {
 public:
  // `lookahead`: loads that may be under way before their step, below the hardware's unit queue.
  Pipeline(std::uint16_t op, int lookahead) : op_(op), lookahead_(lookahead) {}

  Slot add_slot();
  // Opens the next step: loads below belong to it, everything else below runs in it in the order given.
  void begin_step() { steps_.push_back({}); }
  void load(const Transfer& transfer, Slot target);
  void emit(Unit unit, Payload payload, std::vector<Slot> reads, std::vector<Slot> writes);
  std::vector<Instruction> finish();

  // Token of the pair of streams; finish() uses ids below kPairTokens.
  static int pair_token(Unit from, Unit to) { return static_cast<int>(from) * kUnitCount + static_cast<int>(to); }
  static constexpr int kPairTokens = kUnitCount * kUnitCount;

 private:
  struct Entry {
    Unit unit;
    Payload payload;
    std::vector<Slot> reads, writes;
  };
  struct Load {
    Entry entry;
    int needed_by;  // step
    int free_from;  // step before which the slot is still in use
  };
  struct SlotUse {
    int last_step = -1;  // latest step that names the slot
    int writer = -1;     // instruction that wrote it last
    Unit writer_unit = Unit::kLoad;
    std::array<int, kUnitCount> readers{-1, -1, -1, -1};  // last reader in each stream since
  };

  int current_step() const;
  void append(const Entry& entry);
  void order(int earlier, Unit from, Instruction& later, Unit to);

  std::uint16_t op_;
  int lookahead_;
  std::vector<Load> loads_;
  std::vector<std::vector<Entry>> steps_;
  std::vector<SlotUse> slots_;
  std::vector<Instruction> instructions_;
  std::array<std::array<int, kUnitCount>, kUnitCount>
      waited_{};  // [from][to]: one past the latest instruction waited for
};

// Equal areas of one memory used in turn.
class SlotRing {
 public:
  struct Place {
    Slot slot;
    Address address;
  };
  SlotRing(Pipeline& pipeline, Address base, Bytes each, int count);
  Place next();

 private:
  std::vector<Place> places_;
  std::size_t next_ = 0;
};

}  // namespace tilewright
