// What holds the units of one core together: their scoreboard, the ways to memory and to other cores, and what follows
// when an instruction completes.
#pragma once

#include <memory>
#include <string>

#include "sim/machine/core/core_buffers.h"
#include "sim/machine/core/dma_engine.h"
#include "sim/machine/core/execute.h"
#include "sim/machine/core/instruction_queue.h"
#include "sim/machine/core/matmul_unit.h"
#include "sim/machine/core/run_record.h"
#include "sim/machine/core/sync_hub.h"
#include "sim/machine/core/vector_unit.h"
#include "sim/machine/memory/cluster_cache.h"

namespace tilewright {

struct CoreUnits {
  InstructionQueue* queue = nullptr;
  DmaEngine* dma = nullptr;
  MatmulUnit* matmul = nullptr;
  VectorUnit* vector = nullptr;
};

class CoreControl final : public StreamOwner, public MemoryClient, public MemoryServer, public SyncClient {
 public:
  // `cache` is nullptr on a bus cluster.
  CoreControl(int number, MemoryPath& memory, ClusterCache* cache, SyncHub& hub, RunRecord& record)
      : number_(number), memory_(memory), cache_(cache), hub_(hub), record_(record) {}

  // Before the first reset; the units are made with this core's scoreboard and this as owner and memory.
  void attach(const CoreUnits& units) { units_ = units; }
  Scoreboard& scoreboard() { return scoreboard_; }
  // From the next reset on the times of all instructions are written down in `times`, which outlives this.
  void write_down(CoreTimes* times) { times_ = times; }
  // From the next reset on the buffers tell how much of them is in use; `buffers` outlives this. Costs time, so only
  // for those who look.
  void watch(const CoreBuffers& buffers) { watched_ = &buffers; }
  // `values` nullptr: the run carries no values.
  void reset(const CoreProgram& program, int flags, CoreMemory* values);

  bool retired() const { return state_.completed == state_.instructions; }
  std::string name() const { return "core" + std::to_string(number_); }
  // Empty when the core has retired.
  std::string waiting_for() const;

  void completed(const Instruction& instruction, Picoseconds begin, Picoseconds now) override;
  void started(const Instruction& instruction) override;
  void queued(const Instruction& instruction, Picoseconds now) override {
    if (times_) times_->queued(instruction, now);
  }
  void transferred(const Instruction& instruction, const TransferTimes& times, Picoseconds ready) override {
    if (times_) times_->transferred(instruction, times, ready);
  }
  void send_signal(const Signal& signal, std::uint16_t op, Picoseconds now) override {
    hub_.send_signal(number_, signal, op, now);
  }
  void reach_barrier(Unit unit, const Barrier& barrier, Picoseconds now) override {
    hub_.reach_barrier(number_, unit, barrier, now);
  }

  void memory_done(const MemoryRequest& request, Picoseconds now) override;
  // A request of one of the core's units to DRAM, or to what belongs to others: through the cluster cache or straight
  // on.
  void memory_request(const MemoryRequest& request, Picoseconds now) override;

  void signal_arrived(int flag) override;
  void barrier_released(Unit unit, Picoseconds now) override;

 private:
  Stream& stream(Unit unit);
  void wake_units();

  struct State {
    std::size_t instructions = 0, completed = 0;
    CoreMemory* values = nullptr;
  };

  const int number_;
  MemoryPath& memory_;
  ClusterCache* const cache_;
  SyncHub& hub_;
  RunRecord& record_;
  Scoreboard scoreboard_;
  CoreUnits units_;
  CoreTimes* times_ = nullptr;
  const CoreBuffers* watched_ = nullptr;
  std::unique_ptr<BufferWatch> watch_;
  State state_;
};

}  // namespace tilewright
