#include "sim/machine/dram/dram_command_bus.h"

#include <algorithm>

namespace tilewright {

void DramCommandBus::advance(std::span<DramController> sharers, Cycles now) {
  for (;;) {
    Cycles clock = kNeverCycle;
    for (const DramController& sharer : sharers) clock = std::min(clock, sharer.next_action());
    if (clock > now) break;
    step(sharers, clock);
  }
  for (DramController& sharer : sharers) sharer.advance(now);
}

void DramCommandBus::step(std::span<DramController> sharers, Cycles clock) {
  const std::size_t first = first_;
  for (std::size_t turn = 0; turn < sharers.size(); ++turn) {
    const std::size_t index = (first + turn) % sharers.size();
    DramController& sharer = sharers[index];
    sharer.advance(clock);
    if (std::max(sharer.last_column(), sharer.last_row()) < clock) continue;
    first_ = (index + 1) % sharers.size();
    for (DramController& other : sharers)
      if (&other != &sharer) other.bus_taken(sharer.last_column(), sharer.last_row());
  }
}

Cycles DramCommandBus::drain(std::span<DramController> sharers, Cycles now) {
  constexpr Cycles kStride = 64;
  const auto idle = [](const DramController& sharer) { return sharer.idle(); };
  for (advance(sharers, now); !std::ranges::all_of(sharers, idle); advance(sharers, now)) now += kStride;
  Cycles end = 0;
  for (const DramController& sharer : sharers) end = std::max(end, sharer.data_end());
  return end;
}

}  // namespace tilewright
