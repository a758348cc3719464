// What every module of one accelerator shares during a run: the event meter, the moment of launch, where faults and
// trace spans go.
#pragma once

#include <algorithm>
#include <exception>
#include <string_view>
#include <systemc>
#include <vector>

#include "sim/base/event.h"
#include "sim/isa/program.h"
#include "sim/model/fault.h"

namespace tilewright {

// Told when an instruction has completed; times count from launch.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  virtual void span(int core, Unit unit, std::string_view name, Picoseconds begin, Picoseconds end, int op) = 0;
};

inline Picoseconds kernel_now() { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()); }

// First start and last completion of an operator's instructions, from launch.
struct OperatorSpan {
  Picoseconds begin = kNever, end = 0;
};

class RunContext : public FaultSink {
 public:
  struct State {
    Picoseconds launch = 0;  // kernel time at which the program was launched
    Picoseconds last_completion = 0;
    std::vector<OperatorSpan> operators;
    SpanSink* spans = nullptr;
    std::exception_ptr fault;
  };

  EventMeter meter;

  void reset(Picoseconds launch, int operators, SpanSink* spans) {
    meter.reset(operators);
    state_ = State{launch, 0, std::vector<OperatorSpan>(operators), spans, nullptr};
  }

  Picoseconds launch() const { return state_.launch; }
  Picoseconds last_completion() const { return state_.last_completion; }
  const std::vector<OperatorSpan>& operators() const { return state_.operators; }

  // One instruction ran from `begin` to now (kernel times).
  void completed(int core, const Instruction& instruction, Picoseconds begin) {
    const Picoseconds from = begin - state_.launch, to = kernel_now() - state_.launch;
    state_.last_completion = std::max(state_.last_completion, to);
    OperatorSpan& span = state_.operators[instruction.op];
    span.begin = std::min(span.begin, from);
    span.end = std::max(span.end, to);
    if (state_.spans) state_.spans->span(core, instruction.unit, mnemonic(instruction), from, to, instruction.op);
  }

  // The program's last writes reached their memory at `time` from launch.
  void memory_quiet(Picoseconds time) { state_.last_completion = std::max(state_.last_completion, time); }

  // An exception must not leave a SystemC process: the first is kept, and every module stands still from then on.
  void fault(std::exception_ptr exception) override {
    if (!state_.fault) state_.fault = exception;
  }
  bool failed() const { return state_.fault != nullptr; }
  void rethrow() const {
    if (state_.fault) std::rethrow_exception(state_.fault);
  }

 private:
  State state_;
};

}  // namespace tilewright
