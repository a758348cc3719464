#include "sim/machine/core/instruction_queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"
#include "sim/base/units.h"
#include "sim/isa/binary.h"

namespace tilewright {

InstructionQueue::InstructionQueue(const Hardware& hardware, int core, Scoreboard& scoreboard, MemoryServer& memory,
                                   const std::array<Target, kUnitCount>& targets, EventMeter& meter, Waker& waker)
    : spec_(hardware.core_of(core).control),
      clock_(hardware.core_clock),
      chunk_(hardware.dram.interleave_bytes),
      core_(static_cast<std::uint16_t>(core)),
      scoreboard_(scoreboard),
      memory_(memory),
      targets_(targets),
      meter_(meter),
      waker_(waker) {}

void InstructionQueue::reset(const CoreProgram& program, Picoseconds launch) {
  state_ = State{};
  state_.program = &program;
  state_.start = launch + clock_.to_ps(spec_.launch_cycles);
  state_.total = encoded_size(program);
  if (program.instructions.empty()) return;
  state_.next_end = encoded_size(program.instructions[0]);
  waker_.wake_at(state_.start);
}

bool InstructionQueue::all_dispatched() const { return state_.next == state_.program->instructions.size(); }

Picoseconds InstructionQueue::evaluate(Picoseconds now) {
  if (clock_.align_up(now) > now) return clock_.align_up(now);
  if (now < state_.start || all_dispatched()) return kNever;
  if (const Cycles cycle = clock_.floor(now); cycle != state_.cycle) {
    state_.cycle = cycle;
    state_.dispatched_now = 0;
  }
  fetch_ahead(now);
  while (state_.dispatched_now < spec_.dispatch_per_cycle && dispatch_next(now)) ++state_.dispatched_now;
  return state_.dispatched_now >= spec_.dispatch_per_cycle ? now + clock_.period_ps : kNever;
}

// A window smaller than one instruction still asks for the rest of it.
void InstructionQueue::fetch_ahead(Picoseconds now) {
  while (state_.requested < state_.total &&
         (static_cast<int>(state_.blocks.size()) < spec_.fetch_ahead || state_.requested < state_.next_end)) {
    request_block(now);
  }
}

void InstructionQueue::request_block(Picoseconds now) {
  const Bytes size = std::min(spec_.fetch_bytes, state_.total - state_.requested);
  const auto block = static_cast<std::uint32_t>(state_.first_block + static_cast<std::int64_t>(state_.blocks.size()));
  const Address start = state_.program->fetch_address + state_.requested;
  state_.blocks.push_back(size);
  state_.requested += size;
  for_each_chunk(start, size, chunk_, [&](Address address, Bytes bytes) {
    ++state_.requests;
    memory_.memory_request({address, static_cast<std::int32_t>(bytes), false, false, 0, core_, kFetchTag | block}, now);
  });
}

void InstructionQueue::fetched(const MemoryRequest& request, Picoseconds now) {
  const std::int64_t block = request.tag & ~kFetchTag;
  state_.blocks[static_cast<std::size_t>(block - state_.first_block)] -= request.bytes;
  waker_.wake_at(clock_.align_up(now));
}

bool InstructionQueue::next_arrived() const {
  const auto blocks = static_cast<std::size_t>(ceil_div(state_.next_end, spec_.fetch_bytes) - state_.first_block);
  if (blocks > state_.blocks.size()) return false;
  for (std::size_t i = 0; i < blocks; ++i) {
    if (state_.blocks[i] > 0) return false;
  }
  return true;
}

bool InstructionQueue::dispatch_next(Picoseconds now) {
  if (all_dispatched() || !next_arrived()) return false;
  const Instruction& instruction = state_.program->instructions[state_.next];
  const Target& target = targets_[static_cast<int>(instruction.unit)];
  if (target.stream.full()) return false;
  scoreboard_.announce(instruction);
  target.stream.push(instruction, now);
  target.waker.wake();
  meter_.add(instruction.op, Event::kInstruction, 1);
  ++state_.next;
  release_blocks();
  if (!all_dispatched()) state_.next_end += encoded_size(state_.program->instructions[state_.next]);
  fetch_ahead(now);
  return true;
}

// next_end is still that of the instruction just dispatched: blocks wholly before it are free again.
void InstructionQueue::release_blocks() {
  while (!state_.blocks.empty() && (state_.first_block + 1) * spec_.fetch_bytes <= state_.next_end) {
    state_.blocks.pop_front();
    ++state_.first_block;
  }
}

std::string InstructionQueue::waiting_for() const {
  if (!state_.program || all_dispatched()) return "";
  if (!next_arrived()) return fmt::format("fetch: bytes of instruction {}", state_.next);
  const Unit unit = state_.program->instructions[state_.next].unit;
  return fmt::format("dispatch: instruction {} waits for a place in the full {} queue", state_.next, name_of(unit));
}

void InstructionQueue::add_probes(Probes& probes) const {
  probes.push_back({"blocks", 16, [this] { return static_cast<std::uint64_t>(state_.blocks.size()); }});
  probes.push_back({"dispatched", 32, [this] { return static_cast<std::uint64_t>(state_.next); }});
}

void InstructionQueue::add_statistics(const std::string& prefix, const RunSpan&, Statistics& statistics) const {
  statistics.add(prefix + ".control.instructions", "instructions", "instructions dispatched",
                 static_cast<double>(state_.next));
  statistics.add(prefix + ".control.fetch_bytes", "bytes", "instruction bytes fetched",
                 static_cast<double>(state_.requested));
  statistics.add(prefix + ".control.fetch_requests", "requests", "instruction fetches sent to memory",
                 static_cast<double>(state_.requests));
}

}  // namespace tilewright
