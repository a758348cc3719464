#include "planner/estimate/queue_model/queue_sums.h"

namespace tilewright {

void QueueSums::begin(const MemoryRequest& request, int terminal, std::uint32_t place, Picoseconds now) {
  const std::uint32_t number = reads_.begin(request, terminal, place);
  const std::vector<int> holders = reads_.holders(number);
  const QueuePacket packet{terminal, holders.front(), hardware_.network.flits_for(0), false, kSum | number};
  if (holders.size() == 1) return network_.send(packet, now);
  network_.send_to_all(packet, holders, now);
}

std::optional<std::uint32_t> QueueSums::packet_arrived(const QueuePacket& packet, Picoseconds now) {
  const std::uint32_t number = packet.what & ~kSum;
  if (!packet.reply) {
    const int next = reads_.next_of_part(number, packet.destination);
    reads_.for_each_part(number, packet.destination, [&](Space space, int owner, Address) {
      send_on(number, packet.destination, next, now + answer_time(space, owner, reads_.request(number).bytes));
    });
    return std::nullopt;
  }
  if (reads_.is_reader(number, packet.destination)) return reads_.finish(number);
  const auto* meeting = reads_.meet(number, hardware_.network.terminal_router[packet.destination]);
  if (meeting == nullptr) return std::nullopt;
  added_ += (meeting->inputs - 1) * reads_.request(number).bytes / kSumElement;
  send_on(number, meeting->from, meeting->next, now);
  return std::nullopt;
}

Picoseconds QueueSums::answer_time(Space space, int owner, Bytes bytes) const {
  const Clock clock = hardware_.core_clock;
  if (space != Space::kCluster)
    return clock.to_ps(ceil_div(bytes, hardware_.core_of(owner).dma.buffer_bytes_per_cycle));
  const ClusterMemorySpec& memory = hardware_.memory_of(owner).value();
  return clock.to_ps(memory.latency_cycles + ceil_div(bytes, memory.bank_bytes_per_cycle));
}

void QueueSums::send_on(std::uint32_t number, int from, int to, Picoseconds now) {
  network_.send({from, to, hardware_.network.flits_for(reads_.request(number).bytes), true, kSum | number}, now);
}

}  // namespace tilewright
