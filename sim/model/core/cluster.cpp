#include "sim/model/core/cluster.h"

namespace tilewright {

Core::Core(sc_core::sc_module_name name, const Hardware& hardware, int number, MemoryPath& memory, ClusterCache* cache,
           SyncHub& hub, RunRecord& record, FirstFault& faults)
    : ChipModule(name, "core"),
      control_(number, memory, cache, hub, record),
      buffer_a_("buffer_a", {"input_buffer", control_.name() + ".buffer_a"}, hardware.core_of(number).buffer_a),
      buffer_b_("buffer_b", {"input_buffer", control_.name() + ".buffer_b"}, hardware.core_of(number).buffer_b),
      accumulator_("accumulator", {"accumulate_buffer", control_.name() + ".accumulator"},
                   hardware.core_of(number).accumulator),
      buffers_{buffer_a_.part(), buffer_b_.part(), accumulator_.part(), record.meter},
      dma_("dma", {"dma_engine", control_.name()}, faults, hardware, number, control_, cache, control_.scoreboard(),
           control_, buffers_),
      matmul_("matmul", {"matmul_unit", control_.name()}, faults, hardware.core_of(number), hardware.core_clock,
              control_.scoreboard(), control_, buffers_),
      vector_("vector", {"vector_unit", control_.name()}, faults, hardware.core_of(number), hardware.core_clock,
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

Cluster::Cluster(sc_core::sc_module_name name, const Hardware& hardware, int number, MemoryPath& memory, SyncHub& hub,
                 RunRecord& record, FirstFault& faults)
    : ChipModule(name, "cluster") {
  MemoryPath* way_out = &memory;
  if (const int reads = hardware.network.combined_reads; reads > 0) {
    const ModuleLabel label{"read_combiner", "cluster" + std::to_string(number)};
    combiner_ = std::make_unique<PassiveShell<ReadCombiner>>("combiner", label, reads, memory);
    way_out = &combiner_->part();
  }
  if (hardware.memory_of(number)) {
    const ModuleLabel label{"cluster_cache", "cluster" + std::to_string(number)};
    cache_ = std::make_unique<Shell<ClusterCache>>("cache", label, faults, hardware, number, memory, record.meter);
    hub.listen(cache_->part());
  }
  ClusterCache* cache = cache_ ? &cache_->part() : nullptr;
  for (int i = 0; i < hardware.cores_per_cluster; ++i) {
    const int core = number * hardware.cores_per_cluster + i;
    const std::string core_name = "core" + std::to_string(core);
    cores_.push_back(std::make_unique<Core>(core_name.c_str(), hardware, core, *way_out, cache, hub, record, faults));
  }
}

void Cluster::reset(const Program& program) {
  if (combiner_) combiner_->part().reset();
  if (cache_) cache_->reset(program);
}

}  // namespace tilewright
