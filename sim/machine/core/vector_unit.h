// The vector unit: one instruction at a time, a fixed issue time and then so many lanes per cycle.
#pragma once

#include <string>

#include "sim/base/statistics.h"
#include "sim/hw/config/hardware.h"
#include "sim/machine/core/core_buffers.h"
#include "sim/machine/core/stream.h"
#include "sim/machine/port/chip_part.h"

namespace tilewright {

class VectorUnit {
 public:
  VectorUnit(const CoreSpec& spec, Clock clock, Scoreboard& scoreboard, StreamOwner& owner, const CoreBuffers& buffers,
             Waker& waker);

  Stream& stream() { return stream_; }
  void wake() { waker_.wake(); }
  void reset();
  // Completes and starts what it can. Returns when to run again.
  Picoseconds evaluate(Picoseconds now);
  std::string waiting_for() const { return stream_.waiting_for(); }
  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const;
  void add_probes(Probes& probes) const { stream_.add_probes("vector", probes); }

 private:
  struct State {
    Picoseconds busy_until = 0, busy = 0;
    std::int64_t instructions = 0, elements = 0;
  };

  void begin(const Vector& vector, int op, Picoseconds now);
  void count(const Vector& vector, int op);

  const VectorSpec spec_;
  const Clock clock_;
  const CoreBuffers& buffers_;
  Waker& waker_;
  Stream stream_;
  State state_;
};

}  // namespace tilewright
