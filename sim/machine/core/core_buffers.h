// The on-core memories as the units see them.
#pragma once

#include <string>

#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/base/units.h"
#include "sim/isa/instruction.h"
#include "sim/machine/port/probe.h"

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

}  // namespace tilewright
