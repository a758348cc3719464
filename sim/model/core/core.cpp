#include "sim/model/core/core.h"

namespace tilewright {

Core::Core(sc_core::sc_module_name name, const Hardware& hardware, int number, MemoryPath& memory, ClusterCache* cache,
           SyncHub& hub, RunRecord& record, FirstFault& faults)
    : ChipModule(name, "core"),
      control_(number, memory, cache, hub, record),
      buffer_a_("buffer_a", {"input_buffer", control_.name() + ".buffer_a"}, hardware.core.buffer_a),
      buffer_b_("buffer_b", {"input_buffer", control_.name() + ".buffer_b"}, hardware.core.buffer_b),
      accumulator_("accumulator", {"accumulate_buffer", control_.name() + ".accumulator"}, hardware.core.accumulator),
      buffers_{buffer_a_.part(), buffer_b_.part(), accumulator_.part(), record.meter},
      dma_("dma", {"dma_engine", control_.name()}, faults, hardware, number, control_, cache, control_.scoreboard(),
           control_, buffers_),
      matmul_("matmul", {"matmul_unit", control_.name()}, faults, hardware.core, hardware.core_clock,
              control_.scoreboard(), control_, buffers_),
      vector_("vector", {"vector_unit", control_.name()}, faults, hardware.core, hardware.core_clock,
              control_.scoreboard(), control_, buffers_),
      queue_("queue", {"instruction_queue", control_.name()}, faults, hardware, number, control_.scoreboard(), control_,
             std::array<InstructionQueue::Target, kUnitCount>{{{dma_.part().stream(Unit::kLoad), dma_},
                                                               {dma_.part().stream(Unit::kStore), dma_},
                                                               {matmul_.part().stream(), matmul_},
                                                               {vector_.part().stream(), vector_}}},
             record.meter) {
  control_.attach({&queue_.part(), &dma_.part(), &matmul_.part(), &vector_.part()});
  hub.attach(control_);
  if (cache) cache->attach(control_);
}

void Core::reset(const CoreProgram& program, int flags, Picoseconds launch, CoreMemory* values) {
  control_.reset(program, flags, values);
  for (PassiveShell<Buffer>* buffer : {&buffer_a_, &buffer_b_, &accumulator_}) buffer->part().reset();
  dma_.reset();
  matmul_.reset(launch);
  vector_.reset();
  queue_.reset(program, launch);
}

}  // namespace tilewright
