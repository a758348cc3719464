// Builds programs whose cores talk to each other: instructions core by core, segments one behind the other in DRAM.
#pragma once

#include <string>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

class ProgramWriter {
 public:
  // A program for all cores of `hardware`, which outlives this.
  ProgramWriter(const Hardware& hardware, std::string name);

  // Address of a new segment of `bytes` bytes in region 0.
  Address segment(const std::string& name, SegmentKind kind, DataType type, Bytes bytes);
  // Instructions added from now on belong to a new operator of this name.
  void begin_operator(const std::string& name);

  Instruction& add(int core, Unit unit, Payload payload);
  Instruction& last(int core) { return program_.cores[static_cast<std::size_t>(core)].instructions.back(); }
  void signal(int core, Unit unit, int to, int flag) { add(core, unit, Signal{to, flag}); }
  void wait(int core, Unit unit, int flag, int count = 1) { add(core, unit, Wait{flag, count}); }
  // One run of `count` elements.
  Instruction& move(int core, TransferKind kind, DataType type, std::int64_t count, const Box& from, const Box& to);

  // With a segment for the instructions of every core. UserError when the chip's memory is too small.
  Program finish();

 private:
  const Hardware& hardware_;
  Program program_;
  Address end_ = 0;  // of the segments so far
  std::uint16_t op_ = 0;
};

}  // namespace tilewright
