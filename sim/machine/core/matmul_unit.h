// The matmul unit: instructions enter the array one behind the other; the pipe is filled once and drained at the end.
// Timing from array_time(); ONNXim's SystolicWS and Gemmini behave so when overlap is full.
#pragma once

#include <string>

#include "sim/hw/config/core_spec.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/instruction.h"
#include "sim/machine/core/core_buffers.h"
#include "sim/machine/core/cycle_account.h"
#include "sim/machine/core/stream.h"
#include "sim/machine/port/chip_part.h"

namespace tilewright {

// What one instruction moves between the buffers and an array of this dataflow, and its multiply-adds.
struct MatmulTraffic {
  std::int64_t macs = 0;
  Bytes a_read = 0, b_read = 0, accumulator_read = 0, accumulator_write = 0;
};
MatmulTraffic traffic_of(const MatmulSpec& spec, const Matmul& matmul);

class MatmulUnit {
 public:
  MatmulUnit(const CoreSpec& spec, Clock clock, Scoreboard& scoreboard, StreamOwner& owner, const CoreBuffers& buffers,
             Waker& waker);

  Stream& stream() { return stream_; }
  void wake() { waker_.wake(); }
  void reset(Picoseconds launch);
  // Completes and starts what it can. Returns when to run again.
  Picoseconds evaluate(Picoseconds now);
  std::string waiting_for() const { return stream_.waiting_for(); }
  // Closes the account at the run's end, from where on nothing may run.
  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics);
  // `state` is an Activity.
  void add_probes(Probes& probes) const;

 private:
  struct State {
    Picoseconds next_start = 0;  // the array takes the next instruction's first block from here on
    Picoseconds pipe_empty = 0;  // last result of everything started
    std::int64_t instructions = 0, blocks = 0, macs = 0;
    Picoseconds array_time = 0;  // multiply-adds at full rate
  };

  void begin(const Matmul& matmul, int op, Picoseconds now);
  void count(const Matmul& matmul, int op);
  Activity activity(Picoseconds now) const;
  void check_utilisation(const std::string& prefix, Picoseconds total) const;

  const MatmulSpec spec_;
  const Clock clock_;
  Scoreboard& scoreboard_;
  const CoreBuffers& buffers_;
  Waker& waker_;
  Stream stream_;
  CycleAccount account_;
  State state_;
};

}  // namespace tilewright
