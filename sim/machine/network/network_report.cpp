// What a network says of itself: what is stuck, and how busy links were.
#include <algorithm>

#include "sim/machine/network/network_core.h"

namespace tilewright {

std::string NetworkCore::waiting_for() const {
  if (state_.under_way == 0) return {};
  std::string text = fmt::format("{} packets under way", state_.under_way);
  for (std::size_t router = 0; router < state_.routers.size(); ++router)
    if (!state_.routers[router].empty())
      text += fmt::format("; router {} holds {} groups of flits", router, state_.routers[router].buffered_groups());
  for (std::size_t terminal = 0; terminal < state_.sources.size(); ++terminal)
    if (state_.sources[terminal].blocked) text += fmt::format("; terminal {} waits for room", terminal);
  return text;
}

void NetworkCore::add_statistics(Statistics& statistics, Cycles elapsed) const {
  std::int64_t sum = 0, most = 0;
  for (const std::int64_t flits : state_.link_flits) {
    sum += flits;
    most = std::max(most, flits);
  }
  const double cycles = static_cast<double>(std::max<Cycles>(elapsed, 1));
  const double links = static_cast<double>(std::max<std::size_t>(state_.link_flits.size(), 1));
  statistics.add("network.link_flits", "flits", "flits over links between routers", static_cast<double>(sum));
  statistics.add("network.link_utilisation_mean", "%", "share of cycles in which a link carries a flit, mean of links",
                 100.0 * static_cast<double>(sum) / cycles / links);
  statistics.add("network.link_utilisation_max", "%", "share of cycles in which the busiest link carries a flit",
                 100.0 * static_cast<double>(most) / cycles);
}

void NetworkCore::add_router_statistics(int router, const std::string& prefix, Statistics& statistics,
                                        Cycles elapsed) const {
  std::int64_t sent = 0, most = 0;
  for (std::size_t link = 0; link < spec_.links.size(); ++link) {
    if (spec_.links[link].from != router) continue;
    sent += state_.link_flits[link];
    most = std::max(most, state_.link_flits[link]);
  }
  const std::int64_t ejected = state_.ejected_flits[router];
  const auto cycles = static_cast<double>(std::max<Cycles>(elapsed, 1));
  statistics.add(prefix + ".flits", "flits", "crossed the switch", static_cast<double>(sent + ejected));
  statistics.add(prefix + ".ejected_flits", "flits", "left for a terminal of this router",
                 static_cast<double>(ejected));
  statistics.add(prefix + ".link_utilisation_max", "%", "share of cycles in which its busiest link carries a flit",
                 100.0 * static_cast<double>(most) / cycles);
}

}  // namespace tilewright
