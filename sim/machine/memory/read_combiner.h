// What the cores of a cluster read at the same time leaves the cluster once: a read of an address that another core has
// asked for, and whose data is still under way, waits for that answer. Nothing is kept once it has arrived. GPUs have
// such a request coalescer between the cores of a cluster and the network (miss-status registers without a cache).
#pragma once

#include <string>
#include <vector>

#include "sim/base/statistics.h"
#include "sim/machine/memory/joined_reads.h"
#include "sim/machine/port/chip_part.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

class ReadCombiner final : public MemoryPath, public MemoryClient {
 public:
  // Of one cluster: remembers at most `entries` reads under way, at least 1; further ones cannot be joined.
  ReadCombiner(int entries, MemoryPath& memory) : entries_(entries), memory_(memory), state_(entries) {}

  void reset();
  void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) override;
  void memory_done(const MemoryRequest& request, Picoseconds now) override;

  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const;
  void add_probes(Probes& probes) const;

 private:
  struct Asker {
    MemoryRequest request;
    MemoryClient* client = nullptr;
  };
  struct State {
    explicit State(int entries) : reads(entries) {}
    JoinedReads<std::vector<Asker>> reads;
    std::int64_t joined = 0;
    Bytes joined_bytes = 0;
  };

  const int entries_;
  MemoryPath& memory_;
  State state_;
};

}  // namespace tilewright
