#include "sim/model/core/vector_unit.h"

#include "sim/base/error.h"
#include "sim/isa/run_walker.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

Event access_event(Space space, bool write) {
  switch (space) {
    case Space::kBufferA:
    case Space::kBufferB:
      return write ? Event::kBufferWriteBytes : Event::kBufferReadBytes;
    case Space::kAccumulator:
      return write ? Event::kAccumulatorWriteBytes : Event::kAccumulatorReadBytes;
    case Space::kDram:
    case Space::kCluster:
      break;
  }
  SIM_CHECK(false, "the vector unit does not reach {}", name_of(space));
}

}  // namespace

VectorUnit::VectorUnit(sc_core::sc_module_name name, const CoreSpec& spec, Clock clock, Scoreboard& scoreboard,
                       StreamOwner& owner, RunContext& context)
    : TimedModule(name, context),
      spec_(spec.vector),
      clock_(clock),
      stream_(Unit::kVector, spec.control.unit_queue, scoreboard, owner) {}

void VectorUnit::reset() {
  cancel_wake();
  stream_.reset();
  state_ = State{};
}

void VectorUnit::evaluate() {
  const Picoseconds now = kernel_now();
  Picoseconds ready = stream_.retire(now);
  while (state_.busy_until <= now) {
    const Instruction* instruction = stream_.start(now);
    if (!instruction) break;
    if (const auto* vector = std::get_if<Vector>(&instruction->payload)) begin(*vector, instruction->op, now);
    ready = stream_.retire(now);
  }
  wake_at(ready);
}

void VectorUnit::begin(const Vector& vector, int op, Picoseconds now) {
  const Picoseconds duration = clock_.to_ps(vector_cycles(spec_, vector));
  state_.busy_until = now + duration;
  state_.busy += duration;
  stream_.finish(stream_.number_of_last(), state_.busy_until);
  count(vector, op);
}

void VectorUnit::count(const Vector& vector, int op) {
  const std::int64_t elements = element_count(vector.shape);
  const std::int64_t results = distinct_elements(vector.shape, vector.target.stride);
  ++state_.instructions;
  state_.elements += elements;
  context().meter.add(op, Event::kVectorElement, elements);
  count_operand(vector.a, elements, false, op);
  if (is_binary(vector.op) && !vector.b_is_immediate) count_operand(vector.b, elements, false, op);
  if (vector.accumulate) count_operand(vector.target, results, false, op);
  count_operand(vector.target, results, true, op);
}

void VectorUnit::count_operand(const VectorOperand& operand, std::int64_t elements, bool write, int op) {
  context().meter.add(op, access_event(operand.space, write), elements * bytes_of(operand.type));
}

void VectorUnit::add_statistics(const std::string& prefix, Picoseconds total, Statistics& statistics) const {
  SIM_CHECK(state_.busy <= total, "{}: vector unit busy {} ps of {}", prefix, state_.busy, total);
  statistics.add(prefix + ".vector.instructions", "instructions", "vector instructions completed",
                 static_cast<double>(state_.instructions));
  statistics.add(prefix + ".vector.elements", "elements", "elements through the lanes",
                 static_cast<double>(state_.elements));
  statistics.add(prefix + ".vector.busy_cycles", "cycles", "an instruction runs",
                 static_cast<double>(state_.busy) / static_cast<double>(clock_.period_ps));
}

}  // namespace tilewright
