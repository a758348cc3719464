// What the cores of a chip write down together during a run: counted events, when operators ran, trace spans.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/base/event.h"
#include "sim/isa/program.h"

namespace tilewright {

// Told when an instruction has completed; times count from launch.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  virtual void span(int core, Unit unit, std::string_view name, Picoseconds begin, Picoseconds end, int op) = 0;
};

// First start and last completion of an operator's instructions, from launch.
struct OperatorSpan {
  Picoseconds begin = kNever, end = 0;
};

class RunRecord {
 public:
  EventMeter meter;

  void reset(Picoseconds launch, int operators, SpanSink* spans) {
    meter.reset(operators);
    state_ = State{launch, 0, std::vector<OperatorSpan>(operators), spans};
  }

  Picoseconds launch() const { return state_.launch; }
  Picoseconds last_completion() const { return state_.last_completion; }
  const std::vector<OperatorSpan>& operators() const { return state_.operators; }

  // One instruction ran from `begin` to `now`.
  void completed(int core, const Instruction& instruction, Picoseconds begin, Picoseconds now) {
    const Picoseconds from = begin - state_.launch, to = now - state_.launch;
    state_.last_completion = std::max(state_.last_completion, to);
    OperatorSpan& span = state_.operators[instruction.op];
    span.begin = std::min(span.begin, from);
    span.end = std::max(span.end, to);
    if (state_.spans) state_.spans->span(core, instruction.unit, mnemonic(instruction), from, to, instruction.op);
  }

  // The program's last writes reached their memory at `time` from launch.
  void memory_quiet(Picoseconds time) { state_.last_completion = std::max(state_.last_completion, time); }

 private:
  struct State {
    Picoseconds launch = 0;  // when the program was launched
    Picoseconds last_completion = 0;
    std::vector<OperatorSpan> operators;
    SpanSink* spans = nullptr;
  };
  State state_;
};

}  // namespace tilewright
