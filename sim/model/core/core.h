// One core: instruction queue, DAU, matmul unit, vector unit, their scoreboard, and the ways to memory and other cores.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/model/core/dau.h"
#include "sim/model/core/instruction_queue.h"
#include "sim/model/core/matmul_unit.h"
#include "sim/model/core/sync_hub.h"
#include "sim/model/core/vector_unit.h"
#include "sim/model/memory/cluster_cache.h"
#include "sim/model/memory/value_memory.h"

namespace tilewright {

class Core : public sc_core::sc_module,
             public StreamOwner,
             public MemoryClient,
             public MemoryServer,
             public SyncClient {
 public:
  // `cache` is nullptr on a bus cluster.
  Core(sc_core::sc_module_name name, const Hardware& hardware, int number, MemoryFabric& fabric, ClusterCache* cache,
       SyncHub& hub, RunContext& context);

  // `memory` nullptr: the run carries no values.
  void reset(const CoreProgram& program, int flags, Picoseconds launch, CoreMemory* memory);
  bool retired() const;
  std::string waiting_for() const;
  void add_statistics(Picoseconds end, Statistics& statistics);

  void completed(const Instruction& instruction, Picoseconds begin) override;
  void slot_freed(Unit unit) override;
  void send_signal(const Signal& signal) override { hub_.send_signal(signal); }
  void reach_barrier(Unit unit, const Barrier& barrier) override { hub_.reach_barrier(number_, unit, barrier); }

  void memory_done(const MemoryRequest& request) override;
  // A DRAM request of one of the core's units: through the cluster cache or straight to the fabric.
  void memory_request(const MemoryRequest& request) override;

  void signal_arrived(int flag) override;
  void barrier_released(Unit unit) override;

 private:
  Stream& stream(Unit unit);
  const Stream& stream(Unit unit) const { return const_cast<Core*>(this)->stream(unit); }
  void wake_units();
  std::string name_of_core() const { return "core" + std::to_string(number_); }

  struct State {
    std::size_t instructions = 0, completed = 0;
    CoreMemory* memory = nullptr;
    Picoseconds launch = 0;
  };

  const int number_;
  MemoryFabric& fabric_;
  ClusterCache* const cache_;
  SyncHub& hub_;
  RunContext& context_;
  Scoreboard scoreboard_;
  Dau dau_;
  MatmulUnit matmul_;
  VectorUnit vector_;
  InstructionQueue queue_;
  State state_;
};

}  // namespace tilewright
