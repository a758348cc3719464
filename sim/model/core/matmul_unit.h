// The matmul unit: instructions enter the array one behind the other; the pipe is filled once and drained at the end.
// Timing from array_time(); ONNXim's SystolicWS and Gemmini behave so when overlap is full.
#pragma once

#include <string>

#include "sim/hw/hardware.h"
#include "sim/model/core/cycle_account.h"
#include "sim/model/core/stream.h"
#include "sim/model/timed_module.h"

namespace tilewright {

// Multiply-adds and buffer traffic of one instruction on an array of this dataflow.
struct MatmulTraffic {
  std::int64_t macs = 0;
  Bytes buffer_read = 0, accumulator_read = 0, accumulator_write = 0;
};
MatmulTraffic traffic_of(const MatmulSpec& spec, const Matmul& matmul);

class MatmulUnit : public TimedModule {
 public:
  MatmulUnit(sc_core::sc_module_name name, const CoreSpec& spec, Clock clock, Scoreboard& scoreboard,
             StreamOwner& owner, RunContext& context);

  Stream& stream() { return stream_; }
  void reset(Picoseconds launch);
  std::string waiting_for() const override { return stream_.waiting_for(); }
  // Closes the account at `end`, from where on nothing may run.
  void add_statistics(const std::string& prefix, Picoseconds end, Statistics& statistics);

 private:
  struct State {
    Picoseconds launch = 0;
    Picoseconds next_start = 0;  // the array takes the next instruction's first block from here on
    Picoseconds pipe_empty = 0;  // last result of everything started
    std::int64_t instructions = 0, blocks = 0, macs = 0;
    Picoseconds array_time = 0;  // multiply-adds at full rate
  };

  void evaluate() override;
  void begin(const Matmul& matmul, int op, Picoseconds now);
  void count(const Matmul& matmul, int op);
  Activity activity(Picoseconds now) const;
  void check_utilisation(const std::string& prefix, Picoseconds total) const;

  const MatmulSpec spec_;
  const Clock clock_;
  Scoreboard& scoreboard_;
  Stream stream_;
  CycleAccount account_;
  State state_;
};

}  // namespace tilewright
