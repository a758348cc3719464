// How much of a core's buffers holds data in use. Nobody allocates in hardware, so this follows from the program:
// bytes are in use from the start of the instruction that writes them to the end of the last one that touches them
// before they are written anew.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "sim/isa/operand.h"
#include "sim/isa/program.h"
#include "sim/machine/core/core_buffers.h"

namespace tilewright {

class BufferWatch {
 public:
  // Both outlive the watch. Program order is a legal execution, so it says who touches what last.
  BufferWatch(const CoreProgram& program, const CoreBuffers& buffers);

  // Of an instruction of the program.
  void started(const Instruction& instruction);
  void completed(const Instruction& instruction);

 private:
  struct Change {
    std::array<Bytes, kSpaceCount> at_start{}, at_end{};
  };
  struct Piece {
    Address end = 0;
    std::size_t last = 0;  // instruction that touched it last
  };
  using Pieces = std::map<Address, Piece>;  // by first byte, disjoint

  void add(std::size_t index, const Instruction& instruction);
  void touch(Space space, Address low, Address high, std::size_t index);
  void write(Space space, Address low, Address high, std::size_t index);
  void release(Space space, Pieces::iterator piece);
  static void cut(Pieces& pieces, Address at);
  void apply(const std::array<Bytes, kSpaceCount>& bytes, int sign);
  const Change& change_of(const Instruction& instruction) const;

  const CoreProgram& program_;
  const CoreBuffers& buffers_;
  std::vector<Change> changes_;  // by instruction
  std::array<Pieces, kSpaceCount> pieces_;
};

}  // namespace tilewright
