// The whole chip: cores, cluster memories, network and DRAM, wired once and reset for every program.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/machine/memory/memory_fabric.h"
#include "sim/model/core/cluster.h"
#include "sim/model/dram/tlm_bridge.h"
#include "sim/model/kernel/progress_watch.h"
#include "sim/model/network/network_module.h"

namespace tilewright {

// What a run that carries values keeps its bytes in.
struct ChipMemory {
  ChipMemory(const Hardware& hardware, const std::vector<Segment>& segments);

  DramImage dram;
  OwnedMemories owned;
};

class Accelerator : public ChipModule {
 public:
  // `memory` serves the channels of a chip with DramModel::kTlm; nullptr otherwise.
  Accelerator(sc_core::sc_module_name name, const Hardware& hardware, ExternalMemory* memory = nullptr);

  // Puts `program` at the start of every core, from the present kernel time (a core clock edge) on. Both stay valid
  // until the run has ended. `memory` nullptr: no values.
  void launch(const Program& program, ChipMemory* memory, SpanSink* spans);
  // After the kernel has come to rest. Throws what a module threw, and UserError when a core has not retired.
  void check_finished(const Program& program) const;
  // Every module's figures; the run took from launch to the last completion.
  Statistics statistics();
  // From the next launch on the buffers' probes tell how much of them is in use.
  void watch_buffers();
  // Whether from the next launch on the times of all instructions are written down.
  void write_down_times(bool wanted);
  // Of the last run, by core; empty when they were not written down.
  std::vector<const CoreTimes*> times() const;
  const RunRecord& record() const { return record_; }
  const MemoryFabric& fabric() const { return fabric_.part(); }

 private:
  std::string waiting_for() const;
  // While a run goes on: throws what ends it early.
  void watch();
  std::int64_t done() const;
  bool retired() const;

  const Hardware& hardware_;
  RunRecord record_;
  FirstFault faults_{[this] { watch(); }};
  ProgressWatch progress_;
  NetworkModule network_;
  std::vector<std::unique_ptr<DramPort>> channels_;
  PassiveShell<MemoryFabric> fabric_;
  Shell<SyncHub> hub_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::vector<Core*> cores_;  // of all clusters
  std::vector<std::unique_ptr<CoreTimes>> times_;
};

}  // namespace tilewright
