#include "sim/machine/network/held_packets.h"

#include <algorithm>

namespace tilewright {

HeldPackets::HeldPackets(const MemoryPortSpec& spec, int virtual_channels)
    : spec_(spec), places_(spec.places), buffers_(static_cast<std::size_t>(virtual_channels)) {}

int HeldPackets::set_out(int vc, int flits) {
  Buffer& buffer = buffers_[vc];
  const int room = std::clamp(spec_.buffer_flits - buffer.flits, 0, flits);
  buffer.flits += room;
  buffer.owed += flits - room;
  return room;
}

void HeldPackets::arrived(int vc, std::uint32_t packet, int flits) {
  buffers_[vc].packets.push_back({packet, flits, order_++});
}

HeldPackets::Buffer* HeldPackets::next() {
  Buffer* next = nullptr;
  for (Buffer& buffer : buffers_) {
    if (buffer.packets.empty()) continue;
    if (!next || buffer.packets.front().order < next->packets.front().order) next = &buffer;
    if (spec_.order == TakeOrder::kLowestChannel) break;
  }
  return next;
}

std::optional<HeldPackets::Taken> HeldPackets::take() {
  Buffer* const buffer = places_ > 0 ? next() : nullptr;
  if (!buffer) return std::nullopt;
  --places_;
  const Packet packet = buffer->packets.front();
  buffer->packets.pop_front();
  const int credits = std::min(buffer->owed, packet.flits);
  buffer->owed -= credits;
  buffer->flits += credits - packet.flits;
  return Taken{packet.number, static_cast<int>(buffer - buffers_.data()), credits};
}

}  // namespace tilewright
