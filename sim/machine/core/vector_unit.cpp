#include "sim/machine/core/vector_unit.h"

#include "sim/base/error.h"
#include "sim/isa/request_splitter.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

// Lanes multiply and add in fp32, two integers in int32.
Event mac_event(const Vector& vector) {
  const auto whole = [](DataType type) { return type == DataType::kInt8 || type == DataType::kInt32; };
  return whole(vector.a.type) && whole(vector.b.type) ? Event::kMacInt8 : Event::kMacFp32;
}

}  // namespace

VectorUnit::VectorUnit(const CoreSpec& spec, Clock clock, Scoreboard& scoreboard, StreamOwner& owner,
                       const CoreBuffers& buffers, Waker& waker)
    : spec_(spec.vector),
      clock_(clock),
      buffers_(buffers),
      waker_(waker),
      stream_(Unit::kVector, spec.control.unit_queue, scoreboard, owner) {}

void VectorUnit::reset() {
  stream_.reset();
  state_ = State{};
}

Picoseconds VectorUnit::evaluate(Picoseconds now) {
  Picoseconds ready = stream_.retire(now);
  while (state_.busy_until <= now) {
    const Instruction* instruction = stream_.start(now);
    if (!instruction) break;
    if (const auto* vector = std::get_if<Vector>(&instruction->payload)) begin(*vector, instruction->op, now);
    ready = stream_.retire(now);
  }
  return ready;
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
  buffers_.meter.add(op, Event::kVectorElement, elements);
  if (vector.op == VectorOp::kMultiplyAdd) buffers_.meter.add(op, mac_event(vector), elements);
  const auto read = [&](const VectorOperand& operand, std::int64_t count) {
    buffers_.read(operand.space, op, count * bytes_of(operand.type));
  };
  read(vector.a, elements);
  if (is_binary(vector.op) && !vector.b_is_immediate) read(vector.b, elements);
  if (vector.accumulate) read(vector.target, results);
  buffers_.write(vector.target.space, op, results * bytes_of(vector.target.type));
}

void VectorUnit::add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const {
  SIM_CHECK(state_.busy <= run.length(), "{}: vector unit busy {} ps of {}", prefix, state_.busy, run.length());
  statistics.add(prefix + ".vector.instructions", "instructions", "vector instructions completed",
                 static_cast<double>(state_.instructions));
  statistics.add(prefix + ".vector.elements", "elements", "elements through the lanes",
                 static_cast<double>(state_.elements));
  statistics.add(prefix + ".vector.busy_cycles", "cycles", "an instruction runs",
                 static_cast<double>(state_.busy) / static_cast<double>(clock_.period_ps));
}

}  // namespace tilewright
