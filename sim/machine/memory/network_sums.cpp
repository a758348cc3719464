#include "sim/machine/memory/network_sums.h"

namespace tilewright {
namespace {

constexpr std::uint64_t kSum = std::uint64_t{1} << 62;  // marks its packets; below is the number of the sum

}  // namespace

NetworkSums::NetworkSums(const Hardware& hardware, NetworkPort& network, const PeerMemories& peers, EventMeter& meter)
    : hardware_(hardware), network_(network), peers_(peers), meter_(meter), reads_(hardware) {}

bool NetworkSums::owns(const Packet& packet) { return (packet.cookie & kSum) != 0; }

void NetworkSums::begin(const MemoryRequest& request, int terminal, std::uint32_t place, Picoseconds now) {
  const std::uint32_t number = reads_.begin(request, terminal, place);
  ++state_.begun;
  state_.bytes += request.bytes;
  const std::vector<int> holders = reads_.holders(number);
  const Packet packet{terminal, holders.front(), network_.flits_for(0), false, request.op, kSum | number};
  holders.size() == 1 ? network_.send(packet, now) : network_.send_to_all(packet, holders, now);
}

std::optional<std::uint32_t> NetworkSums::packet_arrived(const Packet& packet, Picoseconds now) {
  const auto number = static_cast<std::uint32_t>(packet.cookie);
  if (packet.reply && reads_.is_reader(number, packet.destination)) return reads_.finish(number);
  if (packet.reply)
    add(number, hardware_.network.terminal_router[packet.destination], now);
  else
    ask(number, packet.destination, now);
  return std::nullopt;
}

// Of everybody who answers by this terminal.
void NetworkSums::ask(std::uint32_t number, int terminal, Picoseconds now) {
  reads_.for_each_part(number, terminal, [&](Space space, int owner, Address address) {
    MemoryRequest part = reads_.request(number);
    part.summed = {};
    part.address = address;
    part.tag = state_.parts.acquire({number, terminal});
    ++state_.parts_read;
    peers_.of(space, owner)->send(part, *this, now);
  });
}

void NetworkSums::memory_done(const MemoryRequest& request, Picoseconds now) {
  const Part part = state_.parts[request.tag];
  state_.parts.release(request.tag);
  send_on(part.sum, part.terminal, reads_.next_of_part(part.sum, part.terminal), now);
}

// The sum leaves when the last part has come; flits are added as fast as they come.
void NetworkSums::add(std::uint32_t number, int router, Picoseconds now) {
  const SumTree::Meeting* meeting = reads_.meet(number, router);
  if (meeting == nullptr) return;
  const MemoryRequest& request = reads_.request(number);
  const std::int64_t added = (meeting->inputs - 1) * request.bytes / kSumElement;
  state_.added += added;
  meter_.add(request.op, Event::kNetworkAdd, added);
  send_on(number, meeting->from, meeting->next, now);
}

void NetworkSums::send_on(std::uint32_t number, int from, int to, Picoseconds now) {
  const MemoryRequest& request = reads_.request(number);
  network_.send({from, to, network_.flits_for(request.bytes), true, request.op, kSum | number}, now);
}

void NetworkSums::add_statistics(const std::string& prefix, Statistics& statistics) const {
  if (state_.begun == 0) return;
  statistics.add(prefix + ".sums", "requests", "reads of several memories that the network added up",
                 static_cast<double>(state_.begun));
  statistics.add(prefix + ".sum_bytes", "bytes", "of the sums", static_cast<double>(state_.bytes));
  statistics.add(prefix + ".sum_parts", "requests", "answered by a memory for them",
                 static_cast<double>(state_.parts_read));
  statistics.add(prefix + ".sum_additions", "elements", "added in routers", static_cast<double>(state_.added));
}

}  // namespace tilewright
