// The memory that the cores of a cluster share: part of its ways is a cache of DRAM, the rest a program addresses
// directly. Both use the same banks. A miss takes a miss register (MSHR), fetches the whole line and answers everybody
// who asked for the line meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sim/base/slab.h"
#include "sim/hw/cache_array.h"
#include "sim/hw/hardware.h"
#include "sim/model/core/sync_hub.h"
#include "sim/model/memory/memory_fabric.h"
#include "sim/model/memory/memory_request.h"
#include "sim/model/ring.h"
#include "sim/model/timed_module.h"

namespace tilewright {

class ClusterCache : public TimedModule, public MemoryServer, public MemoryClient, public BarrierListener {
 public:
  ClusterCache(sc_core::sc_module_name name, const Hardware& hardware, int cluster, MemoryFabric& fabric,
               RunContext& context);

  // `clients[core of the cluster]` is answered.
  void attach(MemoryClient& client) { clients_.push_back(&client); }
  void reset(const Program& program);

  // The addressed share: MemoryRequest::address is inside the cluster memory.
  void memory_request(const MemoryRequest& request) override;
  // A read of DRAM that may be served and kept.
  void cached_read(const MemoryRequest& request);
  // A write to DRAM passes by; what the cache holds of it is dropped.
  void written(const MemoryRequest& request);
  void memory_done(const MemoryRequest& fill) override;
  void barrier_opened() override;

  std::string waiting_for() const override;
  void add_statistics(const std::string& prefix, Picoseconds total, Statistics& statistics) const;

 private:
  // A request of a core; answered when all its lines are there.
  struct Pending {
    MemoryRequest request;
    int lines_left = 0;
  };
  struct Miss {
    Address line = -1;         // -1: free
    std::uint32_t serial = 0;  // barriers seen when it was sent
    int parts_left = 0;
    std::vector<std::uint32_t> waiters;  // pending requests
  };
  struct Waiting {  // a line that found no free miss register
    Address line = 0;
    std::uint32_t pending = 0;
  };
  struct Due {
    Picoseconds time;
    std::int64_t order;
    std::uint32_t pending;
    bool operator>(const Due& other) const { return time != other.time ? time > other.time : order > other.order; }
  };
  struct State {
    Slab<Pending> pending;
    std::vector<Miss> misses;
    Ring<Waiting> waiting;
    std::vector<Due> due;  // heap, earliest on top
    std::vector<Picoseconds> bank_free;
    std::int64_t order = 0;
    std::uint32_t barriers = 0;
    std::int64_t hits = 0, misses_sent = 0, merged = 0, evictions = 0, direct = 0;
    Picoseconds bank_busy = 0;
  };
  struct Range {
    Address begin = 0, end = 0;
  };

  void evaluate() override;
  void look_up(Address line, std::uint32_t pending);
  bool join_miss(Address line, std::uint32_t pending);
  bool start_miss(Address line, std::uint32_t pending);
  void fetch_line(std::size_t miss);
  void filled(Miss& miss);
  void retry_waiting();
  void access_bank(Address line, std::uint32_t pending);
  void line_ready(Picoseconds time, std::uint32_t pending);
  void answer(std::uint32_t pending);
  bool is_constant(Address address) const;
  Bytes overlap(const MemoryRequest& request, Address line) const;

  const Hardware& hardware_;
  const ClusterMemorySpec spec_;
  const Clock clock_;
  const int first_core_;
  MemoryFabric& fabric_;
  std::vector<MemoryClient*> clients_;
  CacheArray tags_;
  std::vector<Range> constants_;  // addresses the program never writes, sorted
  State state_;
};

}  // namespace tilewright
