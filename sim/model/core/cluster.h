// A cluster as a module: its cores, which are modules too, and, where they share one, their cluster memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/machine/core/core_control.h"
#include "sim/machine/memory/read_combiner.h"
#include "sim/model/kernel/shell.h"

namespace tilewright {

// One core as a module: its buffers and units as modules inside it, held together by CoreControl.
class Core : public ChipModule {
 public:
  // `cache` is nullptr on a bus cluster.
  Core(sc_core::sc_module_name name, const Hardware& hardware, int number, MemoryPath& memory, ClusterCache* cache,
       SyncHub& hub, RunRecord& record, FirstFault& faults);

  // `values` nullptr: the run carries no values.
  void reset(const CoreProgram& program, int flags, Picoseconds launch, CoreMemory* values);
  // From the next reset on the buffers' probes tell how much of them is in use.
  void watch_buffers() { control_.watch(buffers_); }
  // How other cores reach its buffers.
  MemoryPath& buffers() { return dma_.part(); }
  // From the next reset on the times of all instructions are written down; nullptr ends it.
  void write_down(CoreTimes* times) { control_.write_down(times); }
  bool retired() const { return control_.retired(); }
  std::string waiting_for() const { return control_.waiting_for(); }

 private:
  CoreControl control_;
  PassiveShell<Buffer> buffer_a_, buffer_b_, accumulator_;
  const CoreBuffers buffers_;
  Shell<DmaEngine> dma_;
  Shell<MatmulUnit> matmul_;
  Shell<VectorUnit> vector_;
  Shell<InstructionQueue> queue_;
};

class Cluster : public ChipModule {
 public:
  Cluster(sc_core::sc_module_name name, const Hardware& hardware, int number, MemoryPath& memory, SyncHub& hub,
          RunRecord& record, FirstFault& faults);

  // nullptr on a bus cluster.
  Shell<ClusterCache>* cache() { return cache_.get(); }
  const Shell<ClusterCache>* cache() const { return cache_.get(); }
  // Before a program; the cores are reset by themselves.
  void reset(const Program& program);
  // Named by their number on the chip.
  const std::vector<std::unique_ptr<Core>>& cores() const { return cores_; }

 private:
  std::unique_ptr<PassiveShell<ReadCombiner>> combiner_;  // nullptr: none
  std::unique_ptr<Shell<ClusterCache>> cache_;
  std::vector<std::unique_ptr<Core>> cores_;
};

}  // namespace tilewright
