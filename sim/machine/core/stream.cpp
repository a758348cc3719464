#include "sim/machine/core/stream.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace tilewright {

bool is_sync(const Instruction& instruction) {
  return std::holds_alternative<Signal>(instruction.payload) || std::holds_alternative<Wait>(instruction.payload) ||
         std::holds_alternative<Barrier>(instruction.payload);
}

bool Stream::can_start(const Instruction& instruction) const {
  if (state_.at_barrier || !scoreboard_.available(instruction.waits)) return false;
  const auto* wait = std::get_if<Wait>(&instruction.payload);
  return !wait || scoreboard_.flag_available(*wait);
}

const Instruction* Stream::start(Picoseconds now) {
  const Instruction* instruction = head();
  if (!instruction || !can_start(*instruction)) return nullptr;
  scoreboard_.take(instruction->waits);
  state_.queue.pop_front();
  state_.flight.push_back({instruction, now, kNever});
  owner_.started(*instruction);
  if (is_sync(*instruction)) start_sync(*instruction, now);
  return instruction;
}

void Stream::start_sync(const Instruction& instruction, Picoseconds now) {
  if (const auto* wait = std::get_if<Wait>(&instruction.payload)) scoreboard_.take_flag(*wait);
  state_.at_barrier = std::holds_alternative<Barrier>(instruction.payload);
  if (!state_.at_barrier) state_.flight.back().ready = now;
}

Picoseconds Stream::retire(Picoseconds now) {
  while (!state_.flight.empty()) {
    reach_barrier_at_front(now);
    if (state_.flight.front().ready > now) return state_.flight.front().ready;
    retire_oldest(now);
  }
  return kNever;
}

void Stream::retire_oldest(Picoseconds now) {
  const InFlight done = state_.flight.front();
  state_.flight.pop_front();
  ++state_.first;
  if (const auto* signal = std::get_if<Signal>(&done.instruction->payload))
    owner_.send_signal(*signal, done.instruction->op, now);
  owner_.completed(*done.instruction, done.begin, now);
}

void Stream::reach_barrier_at_front(Picoseconds now) {
  const auto* barrier = std::get_if<Barrier>(&state_.flight.front().instruction->payload);
  const bool released = state_.flight.front().ready != kNever;
  if (!barrier || released || state_.barrier_reached) return;
  state_.barrier_reached = true;
  owner_.reach_barrier(unit_, *barrier, now);
}

void Stream::release_barrier(Picoseconds now) {
  SIM_CHECK(state_.barrier_reached, "stream {} released from a barrier it is not at", name_of(unit_));
  state_.flight.front().ready = now;
  state_.at_barrier = state_.barrier_reached = false;
}

void Stream::add_probes(const std::string& name, Probes& probes) const {
  probes.push_back({name + "_queue", bits_for(capacity_), [this] { return static_cast<std::uint64_t>(queued()); }});
  probes.push_back({name + "_in_flight", 16, [this] { return static_cast<std::uint64_t>(in_flight()); }});
}

std::string Stream::waiting_for() const {
  if (!state_.flight.empty()) {
    return fmt::format("{} stream: {} in flight not finished ({} in flight, {} queued)", name_of(unit_),
                       mnemonic(*state_.flight.front().instruction), state_.flight.size(), state_.queue.size());
  }
  const Instruction* instruction = head();
  if (!instruction) return "";
  const int token = scoreboard_.first_missing(instruction->waits);
  if (token >= 0) return fmt::format("{} stream: {} waits for token {}", name_of(unit_), mnemonic(*instruction), token);
  if (const auto* wait = std::get_if<Wait>(&instruction->payload)) {
    return fmt::format("{} stream: wait for {} of flag {}, which holds {}", name_of(unit_), wait->count, wait->flag,
                       scoreboard_.flag(wait->flag));
  }
  return fmt::format("{} stream: {} not started", name_of(unit_), mnemonic(*instruction));
}

}  // namespace tilewright
