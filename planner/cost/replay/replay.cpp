#include "planner/cost/replay/replay.h"

#include <algorithm>
#include <memory>

#include "planner/cost/replay/replay_core.h"
#include "sim/base/error.h"

namespace tilewright {

double replayed_cycles(const Hardware& hardware, const Program& program) {
  Calendar calendar(hardware.core_clock);
  ReplayMemory memory(hardware, calendar);
  ReplaySync sync(hardware, calendar);
  std::vector<std::unique_ptr<ReplayCache>> caches;
  for (int cluster = 0; hardware.cluster_memory && cluster < hardware.clusters; ++cluster) {
    caches.push_back(std::make_unique<ReplayCache>(hardware, cluster, program, memory));
    sync.attach(*caches.back());
  }
  std::vector<std::unique_ptr<ReplayCore>> cores;
  for (int core = 0; core < static_cast<int>(program.cores.size()); ++core) {
    ReplayCache* cache = caches.empty() ? nullptr : caches[hardware.cluster_of(core)].get();
    cores.push_back(std::make_unique<ReplayCore>(hardware, core, program.cores[core], calendar, memory, cache, sync));
  }
  calendar.run();
  Picoseconds last = memory.quiet();
  for (const auto& core : cores) {
    SIM_CHECK(core->over(), "a stream of a legal program stops in its replay");
    last = std::max(last, core->completed());
  }
  return static_cast<double>(last) / static_cast<double>(hardware.core_clock.period_ps);
}

}  // namespace tilewright
