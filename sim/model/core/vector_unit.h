// The vector unit: one instruction at a time, a fixed issue time and then so many lanes per cycle.
#pragma once

#include <string>

#include "sim/hw/hardware.h"
#include "sim/model/core/stream.h"
#include "sim/model/timed_module.h"

namespace tilewright {

class VectorUnit : public TimedModule {
 public:
  VectorUnit(sc_core::sc_module_name name, const CoreSpec& spec, Clock clock, Scoreboard& scoreboard,
             StreamOwner& owner, RunContext& context);

  Stream& stream() { return stream_; }
  void reset();
  std::string waiting_for() const override { return stream_.waiting_for(); }
  void add_statistics(const std::string& prefix, Picoseconds total, Statistics& statistics) const;

 private:
  struct State {
    Picoseconds busy_until = 0, busy = 0;
    std::int64_t instructions = 0, elements = 0;
  };

  void evaluate() override;
  void begin(const Vector& vector, int op, Picoseconds now);
  void count(const Vector& vector, int op);
  void count_operand(const VectorOperand& operand, std::int64_t elements, bool write, int op);

  const VectorSpec spec_;
  const Clock clock_;
  Stream stream_;
  State state_;
};

}  // namespace tilewright
