// The memory that the cores of a cluster share: part of its ways is a cache of DRAM, the rest a program addresses
// directly. Both use the same banks. A miss takes a miss register (MSHR), fetches the whole line and answers everybody
// who asked for the line meanwhile.
#pragma once

#include <string>
#include <vector>

#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/chip_map.h"
#include "sim/isa/program.h"
#include "sim/machine/memory/cache_array.h"
#include "sim/machine/port/chip_part.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

class ClusterCache final : public MemoryServer, public MemoryPath, public MemoryClient, public BarrierListener {
 public:
  ClusterCache(const Hardware& hardware, int cluster, MemoryPath& memory, EventMeter& meter, Waker& waker);

  // `clients[core of the cluster]` is answered.
  void attach(MemoryClient& client) { clients_.push_back(&client); }
  void reset(const Program& program);

  // The addressed share: MemoryRequest::address is inside the cluster memory.
  void memory_request(const MemoryRequest& request, Picoseconds now) override;
  // The same for a core of another cluster: MemoryRequest::address is in the chip's map.
  void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) override;
  // A read of DRAM that may be served and kept.
  void cached_read(const MemoryRequest& request, Picoseconds now);
  // A write to DRAM passes by; what the cache holds of it is dropped.
  void written(const MemoryRequest& request);
  void memory_done(const MemoryRequest& fill, Picoseconds now) override;
  void barrier_opened() override;
  // Answers what is due. Returns when the next answer is.
  Picoseconds evaluate(Picoseconds now);

  // Empty when every request has been answered.
  std::string waiting_for() const;
  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const;
  void add_probes(Probes& probes) const;

 private:
  // A request of a core; answered when all its lines are there.
  struct Pending {
    MemoryRequest request;
    int lines_left = 0;
    MemoryClient* client = nullptr;
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
    SlotTable<Pending> pending;
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

  void access_directly(const MemoryRequest& request, MemoryClient& client, Picoseconds now);
  void look_up(Address line, std::uint32_t pending, Picoseconds now);
  bool join_miss(Address line, std::uint32_t pending);
  bool start_miss(Address line, std::uint32_t pending, Picoseconds now);
  void fetch_line(std::size_t miss, Picoseconds now);
  void filled(Miss& miss, const MemoryDelay& delay, Picoseconds now);
  void retry_waiting(Picoseconds now);
  void access_bank(Address line, std::uint32_t pending, Picoseconds now);
  void line_ready(Picoseconds time, std::uint32_t pending);
  void answer(std::uint32_t pending, Picoseconds now);
  bool is_constant(Address address) const;
  Bytes overlap(const MemoryRequest& request, Address line) const;

  const Hardware& hardware_;
  const ClusterMemorySpec spec_;
  const ChipMap map_;
  const Clock clock_;
  const int first_core_;
  MemoryPath& memory_;
  EventMeter& meter_;
  Waker& waker_;
  std::vector<MemoryClient*> clients_;
  CacheArray tags_;
  std::vector<Range> constants_;  // addresses the program never writes, sorted
  State state_;
};

}  // namespace tilewright
