#include "sim/machine/memory/network_sums.h"

#include "sim/base/distinct.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr std::uint64_t kSum = std::uint64_t{1} << 62;  // marks its packets; below is the number of the sum
constexpr Bytes kElement = 4;                           // what is added is fp32 or int32

}  // namespace

NetworkSums::NetworkSums(const Hardware& hardware, NetworkPort& network, const PeerMemories& peers, EventMeter& meter)
    : hardware_(hardware), network_(network), peers_(peers), meter_(meter), map_(hardware) {
  if (hardware.network.reduction > 0) routes_.emplace(hardware.network);
}

bool NetworkSums::owns(const Packet& packet) { return (packet.cookie & kSum) != 0; }

const SumTree& NetworkSums::tree_of(const MemoryRequest& request, int terminal) {
  const ChipMap::Place place = map_.place_of(request.address);
  const TreeKey key{place.space, place.owner, request.summed, request.core, terminal};
  const auto known = trees_.find(key);
  if (known != trees_.end()) return known->second;
  std::vector<int> sources;
  request.summed.for_each(
      place.owner, [&](int owner) { sources.push_back(terminal_of(hardware_, place.space, owner, request.core)); });
  return trees_.emplace(key, make_sum_tree(hardware_.network, *routes_, sources, terminal)).first->second;
}

void NetworkSums::begin(const MemoryRequest& request, int terminal, std::uint32_t place, Picoseconds now) {
  SIM_CHECK(routes_, "a sum in a network that does not add");
  ++state_.begun;
  state_.bytes += request.bytes;
  const SumTree& tree = tree_of(request, terminal);
  const std::uint32_t number = state_.sums.acquire({request, terminal, place, &tree, {}});
  std::vector<int> holders;
  for (const auto& [holder, next] : tree.next) holders.push_back(holder);
  const Packet packet{terminal, holders.front(), network_.flits_for(0), false, request.op, kSum | number};
  holders.size() == 1 ? network_.send(packet, now) : network_.send_to_all(packet, holders, now);
}

std::optional<std::uint32_t> NetworkSums::packet_arrived(const Packet& packet, Picoseconds now) {
  const auto number = static_cast<std::uint32_t>(packet.cookie);
  if (!packet.reply) {
    ask(number, packet.destination, now);
    return std::nullopt;
  }
  const Sum& sum = state_.sums[number];
  if (packet.destination != sum.terminal) {
    add(number, hardware_.network.terminal_router[packet.destination], now);
    return std::nullopt;
  }
  const std::uint32_t place = sum.place;
  state_.sums.release(number);
  return place;
}

// Of everybody who answers by this terminal.
void NetworkSums::ask(std::uint32_t number, int terminal, Picoseconds now) {
  const MemoryRequest request = state_.sums[number].request;
  const ChipMap::Place place = map_.place_of(request.address);
  request.summed.for_each(place.owner, [&](int owner) {
    if (terminal_of(hardware_, place.space, owner, request.core) != terminal) return;
    MemoryRequest part = request;
    part.summed = {};
    part.address = map_.base_of(place.space, owner) + place.offset;
    part.tag = state_.parts.acquire({number, terminal});
    ++state_.parts_read;
    peers_.of(place.space, owner)->send(part, *this, now);
  });
}

void NetworkSums::memory_done(const MemoryRequest& request, Picoseconds now) {
  const Part part = state_.parts[request.tag];
  state_.parts.release(request.tag);
  send_on(part.sum, part.terminal, state_.sums[part.sum].tree->next.at(part.terminal), now);
}

// The sum leaves when the last part has come; flits are added as fast as they come.
void NetworkSums::add(std::uint32_t number, int router, Picoseconds now) {
  Sum& sum = state_.sums[number];
  const SumTree::Meeting& meeting = sum.tree->meetings.at(router);
  if (++sum.arrived[router] < meeting.inputs) return;
  const std::int64_t added = (meeting.inputs - 1) * sum.request.bytes / kElement;
  state_.added += added;
  meter_.add(sum.request.op, Event::kNetworkAdd, added);
  send_on(number, meeting.from, meeting.next, now);
}

void NetworkSums::send_on(std::uint32_t number, int from, int to, Picoseconds now) {
  const MemoryRequest& request = state_.sums[number].request;
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
