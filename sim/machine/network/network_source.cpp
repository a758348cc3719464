// Terminals: packets leave their queues for the virtual channels of the first router.
#include <algorithm>

#include "sim/machine/network/network_core.h"

namespace tilewright {

bool NetworkCore::load_source(Source& source) {
  for (const int kind : {1, 0}) {  // what is answered first frees others
    Queue& queue = source.queues[kind];
    if (queue.first == kNone) continue;
    const Flight& flight = state_.flights[queue.first];
    const int vc = channel_for(source, flight);
    if (vc < 0) continue;
    source.current = queue.first;
    source.left = flight.packet.flits;
    source.vc = vc;
    queue.first = flight.next;
    if (kind == 0 && !state_.backlogs.empty()) left_queue(source);
    return true;
  }
  return false;
}

// The next channel in turn with room, or -1.
int NetworkCore::channel_for(const Source& source, const Flight& flight) const {
  const int channels = spec_.router.virtual_channels;
  for (int i = 1; i <= channels; ++i) {
    const int vc = (source.vc + i) % channels;
    if ((flight.end_vcs >> vc & 1u) != 0 && source.credits[vc] > 0) return vc;
  }
  return -1;
}

// A request has left the queue of its port, which has room for another.
void NetworkCore::left_queue(Source& source) {
  const int terminal = state_.flights[source.current].packet.source;
  if (!spec_.is_cluster_terminal(terminal)) return;
  --source.requests;
  deal(terminal / spec_.ports_per_cluster, state_.now);
}

// Of the cluster's ports the next in turn whose queue has room; -1: none has.
int NetworkCore::port_with_room(int cluster) {
  int& turn = state_.backlogs[cluster].turn;
  for (int tried = 0; tried < spec_.ports_per_cluster; ++tried) {
    const int terminal = spec_.cluster_terminal(cluster, turn);
    turn = (turn + 1) % spec_.ports_per_cluster;
    if (state_.sources[terminal].requests < spec_.port_queue) return terminal;
  }
  return -1;
}

// What waits at the cluster goes to its ports, as far as they have room.
void NetworkCore::deal(int cluster, Cycles cycle) {
  Queue& waiting = state_.backlogs[cluster].queue;
  while (waiting.first != kNone) {
    const int terminal = port_with_room(cluster);
    if (terminal < 0) return;
    const std::uint32_t index = waiting.first;
    Flight& flight = state_.flights[index];
    waiting.first = flight.next;
    flight.next = kNone;
    flight.packet.source = terminal;
    append(state_.sources[terminal].queues[0], index);
    ++state_.sources[terminal].requests;
    state_.source_wakes.insert(at(std::max(cycle, state_.now + 1)), terminal);
  }
}

void NetworkCore::step_source(int terminal) {
  Source& source = state_.sources[terminal];
  if (source.free_at > state_.now) {
    state_.source_wakes.insert(at(source.free_at), terminal);
    return;
  }
  source.blocked = false;
  if (source.current == kNone && !load_source(source)) {
    source.blocked = source.queues[0].first != kNone || source.queues[1].first != kNone;
    return;
  }
  if (source.credits[source.vc] <= 0) {
    source.blocked = true;
    return;
  }
  send_group(terminal, source, std::min<int>(state_.flights[source.current].group, source.left));
}

void NetworkCore::send_group(int terminal, Source& source, int flits) {
  const Flight& flight = state_.flights[source.current];
  const Peer& entry = entry_[terminal];
  const bool head = source.left == flight.packet.flits, tail = source.left == flits;
  source.credits[source.vc] = static_cast<std::int16_t>(source.credits[source.vc] - flits);
  source.left -= flits;
  source.free_at = state_.now + flits;
  state_.arrivals.push(at(state_.now + delays_.from_terminal),
                       {entry.index,
                        entry.port,
                        static_cast<std::uint8_t>(source.vc),
                        {source.current, static_cast<std::uint8_t>(flits), head, tail}});
  if (tail) source.current = kNone;
  const bool more = !tail || source.queues[0].first != kNone || source.queues[1].first != kNone;
  if (more) state_.source_wakes.insert(at(source.free_at), terminal);
}

}  // namespace tilewright
