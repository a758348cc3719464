#include "planner/estimate/queue_model/queue_model.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "planner/estimate/queue_model/queue_memory.h"
#include "planner/estimate/queue_model/remaining_time.h"
#include "sim/base/error.h"
#include "sim/machine/core/core_control.h"
#include "sim/machine/memory/read_combiner.h"

namespace tilewright {
namespace {

// One core: the units of the simulated core on a calendar.
class QueueCore {
 public:
  // `cache` nullptr on a bus cluster. Attaches itself to `hub` and `cache`, so cores are made in the order of their
  // numbers.
  QueueCore(const Hardware& hardware, int number, Calendar& calendar, MemoryPath& memory, ClusterCache* cache,
            SyncHub& hub, RunRecord& record);

  // From time 0 on.
  void launch(const CoreProgram& program, int flags);
  bool retired() const { return control_.retired(); }

 private:
  CoreControl control_;
  Buffer buffer_a_, buffer_b_, accumulator_;
  const CoreBuffers buffers_;
  QueuePart<DmaEngine> dma_;
  QueuePart<MatmulUnit> matmul_;
  QueuePart<VectorUnit> vector_;
  QueuePart<InstructionQueue> queue_;
};

QueueCore::QueueCore(const Hardware& hardware, int number, Calendar& calendar, MemoryPath& memory, ClusterCache* cache,
                     SyncHub& hub, RunRecord& record)
    : control_(number, memory, cache, hub, record),
      buffer_a_(hardware.core_of(number).buffer_a),
      buffer_b_(hardware.core_of(number).buffer_b),
      accumulator_(hardware.core_of(number).accumulator),
      buffers_{buffer_a_, buffer_b_, accumulator_, record.meter},
      dma_(calendar, hardware, number, control_, cache, control_.scoreboard(), control_, buffers_),
      matmul_(calendar, hardware.core_of(number), hardware.core_clock, control_.scoreboard(), control_, buffers_),
      vector_(calendar, hardware.core_of(number), hardware.core_clock, control_.scoreboard(), control_, buffers_),
      queue_(calendar, hardware, number, control_.scoreboard(), control_,
             std::array<InstructionQueue::Target, kUnitCount>{{{dma_.part().stream(Unit::kLoad), dma_},
                                                               {dma_.part().stream(Unit::kStore), dma_},
                                                               {matmul_.part().stream(), matmul_},
                                                               {vector_.part().stream(), vector_}}},
             record.meter) {
  control_.attach({&queue_.part(), &dma_.part(), &matmul_.part(), &vector_.part()});
  hub.attach(control_);
  if (cache) cache->attach(control_);
}

void QueueCore::launch(const CoreProgram& program, int flags) {
  control_.reset(program, flags, nullptr);
  matmul_.part().reset(0);
  queue_.part().reset(program, 0);
}

using Caches = std::vector<std::unique_ptr<QueuePart<ClusterCache>>>;

Caches make_caches(const Hardware& hardware, const Program& program, Calendar& calendar, MemoryPath& memory,
                   SyncHub& hub, RunRecord& record) {
  Caches caches;
  for (int cluster = 0; cluster < hardware.clusters; ++cluster) {
    caches.emplace_back();
    if (!hardware.memory_of(cluster)) continue;
    caches.back() = std::make_unique<QueuePart<ClusterCache>>(calendar, hardware, cluster, memory, record.meter);
    caches.back()->part().reset(program);
    hub.listen(caches.back()->part());
  }
  return caches;
}

using Combiners = std::vector<std::unique_ptr<ReadCombiner>>;

Combiners make_combiners(const Hardware& hardware, MemoryPath& memory) {
  Combiners combiners;
  for (int cluster = 0; hardware.network.combined_reads > 0 && cluster < hardware.clusters; ++cluster)
    combiners.push_back(std::make_unique<ReadCombiner>(hardware.network.combined_reads, memory));
  return combiners;
}

Picoseconds end_of(double ps) { return ps < static_cast<double>(kNever) ? static_cast<Picoseconds>(ps) : kNever; }

}  // namespace

QueueModelRun queue_model_run(const Hardware& hardware, const Program& program, RouterBuffers buffers, double give_up) {
  Calendar calendar(hardware.core_clock);
  QueueMemory memory(hardware, buffers, calendar);
  std::optional<RemainingTime> remaining;
  if (std::isfinite(give_up)) remaining.emplace(hardware, program, give_up, memory, calendar);
  if (remaining && remaining->too_long()) return {give_up, false, {}, {}};
  RunRecord record;
  record.reset(0, static_cast<int>(program.operators.size()), remaining ? &*remaining : nullptr);
  QueuePart<SyncHub> hub(calendar, hardware);
  const Caches caches = make_caches(hardware, program, calendar, memory, hub.part(), record);
  const Combiners combiners = make_combiners(hardware, memory);
  std::vector<std::unique_ptr<QueueCore>> cores;
  for (int core = 0; core < static_cast<int>(program.cores.size()); ++core) {
    const auto& behind = caches[hardware.cluster_of(core)];
    ClusterCache* cache = behind ? &behind->part() : nullptr;
    MemoryPath* way_out = &memory;
    if (remaining) way_out = &*remaining;
    if (!combiners.empty()) way_out = combiners[hardware.cluster_of(core)].get();
    cores.push_back(std::make_unique<QueueCore>(hardware, core, calendar, *way_out, cache, hub.part(), record));
    cores.back()->launch(program.cores[core], flag_count(program));
  }
  const auto period = static_cast<double>(hardware.core_clock.period_ps);
  const bool is_over = calendar.run(end_of(give_up * period));
  const bool left = remaining && remaining->too_long();
  const bool retired = !left && std::ranges::all_of(cores, [](const auto& core) { return core->retired(); });
  SIM_CHECK(retired || left || !is_over, "a stream of a legal program stops in the queue model");
  if (retired) calendar.run();  // what DRAM has yet to write
  const Picoseconds last = std::max(memory.quiet(), record.last_completion());
  QueueModelRun run{retired ? static_cast<double>(last) / period : give_up, retired, record.meter.total(),
                    record.operators()};
  memory.count(run.events, last);
  SIM_CHECK(!remaining || !retired || remaining->least() <= run.cycles, "a program takes less than it takes at least");
  return run;
}

double queue_model_cycles(const Hardware& hardware, const Program& program) {
  return queue_model_run(hardware, program).cycles;
}

}  // namespace tilewright
