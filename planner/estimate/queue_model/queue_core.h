// One core of the queue model: the units of the simulated core on a calendar.
#pragma once

#include "planner/estimate/queue_model/queue_part.h"
#include "sim/machine/core/core_control.h"

namespace tilewright {

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

}  // namespace tilewright
