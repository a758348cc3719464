#include "planner/cost/replay/replay_sync.h"

#include "planner/cost/replay/replay_cache.h"

namespace tilewright {

void ReplaySync::send(const Signal& signal, Picoseconds now) {
  calendar_.add(now + delay_, *cores_[signal.core], static_cast<std::uint32_t>(signal.flag));
}

void ReplaySync::reach(int core, Unit unit, const Barrier& barrier, Picoseconds now) {
  auto& arrived = arrived_[barrier.id];
  arrived.push_back({core, unit});
  if (static_cast<int>(arrived.size()) < barrier.participants) return;
  for (ReplayCache* cache : caches_) cache->barrier_opened();
  for (const Arrival& one : arrived)
    calendar_.add(now + delay_, *cores_[one.core], kReleased + static_cast<std::uint32_t>(one.unit));
  arrived.clear();
}

}  // namespace tilewright
