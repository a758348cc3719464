#include "planner/estimate/queue_model/queue_core.h"

namespace tilewright {

QueueCore::QueueCore(const Hardware& hardware, int number, Calendar& calendar, MemoryPath& memory, ClusterCache* cache,
                     SyncHub& hub, RunRecord& record)
    : control_(number, memory, cache, hub, record),
      buffer_a_(hardware.core.buffer_a),
      buffer_b_(hardware.core.buffer_b),
      accumulator_(hardware.core.accumulator),
      buffers_{buffer_a_, buffer_b_, accumulator_, record.meter},
      dma_(calendar, hardware, number, control_, cache, control_.scoreboard(), control_, buffers_),
      matmul_(calendar, hardware.core, hardware.core_clock, control_.scoreboard(), control_, buffers_),
      vector_(calendar, hardware.core, hardware.core_clock, control_.scoreboard(), control_, buffers_),
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

}  // namespace tilewright
