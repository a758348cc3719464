#include "planner/estimate/queue_model/queue_model.h"

#include <algorithm>
#include <memory>

#include "planner/estimate/queue_model/queue_core.h"
#include "planner/estimate/queue_model/queue_memory.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

using Caches = std::vector<std::unique_ptr<QueuePart<ClusterCache>>>;

Caches make_caches(const Hardware& hardware, const Program& program, Calendar& calendar, MemoryPath& memory,
                   SyncHub& hub, RunRecord& record) {
  Caches caches;
  for (int cluster = 0; hardware.cluster_memory && cluster < hardware.clusters; ++cluster) {
    caches.push_back(std::make_unique<QueuePart<ClusterCache>>(calendar, hardware, cluster, memory, record.meter));
    caches.back()->part().reset(program);
    hub.listen(caches.back()->part());
  }
  return caches;
}

}  // namespace

double queue_model_cycles(const Hardware& hardware, const Program& program) {
  Calendar calendar(hardware.core_clock);
  QueueMemory memory(hardware, calendar);
  RunRecord record;
  record.reset(0, static_cast<int>(program.operators.size()), nullptr);
  QueuePart<SyncHub> hub(calendar, hardware);
  const Caches caches = make_caches(hardware, program, calendar, memory, hub.part(), record);
  std::vector<std::unique_ptr<QueueCore>> cores;
  for (int core = 0; core < static_cast<int>(program.cores.size()); ++core) {
    ClusterCache* cache = caches.empty() ? nullptr : &caches[hardware.cluster_of(core)]->part();
    cores.push_back(std::make_unique<QueueCore>(hardware, core, calendar, memory, cache, hub.part(), record));
    cores.back()->launch(program.cores[core], flag_count(program));
  }
  calendar.run();
  for (const auto& core : cores) SIM_CHECK(core->retired(), "a stream of a legal program stops in the queue model");
  const Picoseconds last = std::max(memory.quiet(), record.last_completion());
  return static_cast<double>(last) / static_cast<double>(hardware.core_clock.period_ps);
}

}  // namespace tilewright
