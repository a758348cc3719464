// The on-core memories as the units see them, and how much of them is in use.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/base/units.h"
#include "sim/isa/instruction.h"
#include "sim/isa/operand.h"
#include "sim/isa/program.h"
#include "sim/machine/port/chip_part.h"

namespace tilewright {

// One on-core memory: bytes read from it and written to it.
class Buffer {
 public:
  explicit Buffer(Bytes capacity) : capacity_(capacity) {}

  void reset() { state_ = State{}; }
  void count_read(Bytes bytes) { state_.read += bytes; }
  void count_write(Bytes bytes) { state_.written += bytes; }
  // Kept only while somebody watches (BufferWatch): bytes that hold data still in use.
  void occupy(Bytes bytes) { state_.occupied += bytes; }
  Bytes occupied() const { return state_.occupied; }
  Bytes capacity() const { return capacity_; }

  // Under "`prefix`.".
  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const;
  void add_probes(Probes& probes) const;

 private:
  struct State {
    Bytes read = 0, written = 0, occupied = 0;
  };
  const Bytes capacity_;
  State state_;
};

// All three by their space: every access counts in the buffer and, per operator, in the meter.
struct CoreBuffers {
  Buffer &a, &b, &accumulator;
  EventMeter& meter;

  // InternalError for a space that is no buffer.
  Buffer& of(Space space) const;
  void read(Space space, int op, Bytes bytes) const;
  void write(Space space, int op, Bytes bytes) const;
};

// How much of a core's buffers holds data in use. Nobody allocates in hardware, so this follows from the program:
// bytes are in use from the start of the instruction that writes them to the end of the last one that touches them
// before they are written anew. What other cores do there is not followed.
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
