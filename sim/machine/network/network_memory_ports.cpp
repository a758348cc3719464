// The ports of memories that do not take everything at once (NetworkSpec::memory_port).
#include <algorithm>

#include "sim/machine/network/network_core.h"

namespace tilewright {

// Of what crosses to a terminal, the room that is there for what follows.
int NetworkCore::credits_for(const Router::Move& move, int terminal) {
  HeldPackets* const held = held_at(terminal);
  if (!held) return move.group.flits;
  state_.flights[move.group.packet].end_vc = move.output_vc;
  return held->set_out(move.output_vc, move.group.flits);
}

bool NetworkCore::hold(std::uint32_t index, unsigned slot) {
  const Flight& flight = state_.flights[index];
  HeldPackets* const held = held_at(flight.packet.destination);
  if (!held) return false;
  held->arrived(flight.end_vc, index, flight.packet.flits);
  state_.takes.insert(slot, memory_at(flight.packet.destination));
  return true;
}

// An answer that a memory sends frees the place of its request.
void NetworkCore::answered(int terminal, Cycles cycle) {
  HeldPackets* const held = held_at(terminal);
  if (!held) return;
  held->answered();
  may_take(memory_at(terminal), std::max(cycle, state_.now + 1));
}

void NetworkCore::may_take(int memory, Cycles cycle) {
  state_.takes.insert(at(cycle), memory);
  state_.end_marks.mark(cycle);
}

// One packet per cycle.
void NetworkCore::take_at(int memory) {
  const auto taken = state_.held[memory].take();
  if (!taken) return;
  const Peer& exit = exit_[spec_.channel_terminal(memory)];
  if (taken->credits > 0)
    state_.credits.push(at(state_.now + delays_.terminal_credit - delays_.to_terminal),
                        {exit.index, false, static_cast<std::uint8_t>(taken->vc),
                         static_cast<std::uint8_t>(taken->credits), exit.port});
  deliver(taken->packet);
  may_take(memory, state_.now + 1);
}

}  // namespace tilewright
