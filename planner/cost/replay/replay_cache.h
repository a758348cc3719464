// The memory that a cluster shares, for the replay: banks as queues, the tags of the simulated cache, misses joined.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "planner/cost/replay/replay_memory.h"
#include "sim/base/slab.h"
#include "sim/hw/cache_array.h"
#include "sim/isa/program.h"

namespace tilewright {

class ReplayCache : public ReplayClient {
 public:
  ReplayCache(const Hardware& hardware, int cluster, const Program& program, ReplayMemory& memory);

  // Both answer `client` once: a read of DRAM that may be kept, and an access of the addressed share.
  void cached_read(const ReplayRequest& request, ReplayClient& client, Picoseconds now);
  void direct(const ReplayRequest& request, ReplayClient& client, Picoseconds now);
  void written(const ReplayRequest& request);
  void barrier_opened();

  void answered(const ReplayRequest& fill, Picoseconds now) override;

 private:
  struct Pending {
    ReplayRequest request;
    ReplayClient* client = nullptr;
    int lines_left = 0;
    Picoseconds ready = 0;
  };
  struct Miss {
    Address line = 0;
    std::int64_t barriers = 0;  // seen when it was sent
    int parts_left = 0;         // grains of DRAM
    std::vector<std::uint32_t> waiters;
  };
  struct Waiting {
    Address line = 0;
    std::uint32_t pending = 0;
  };

  std::uint32_t begin(const ReplayRequest& request, ReplayClient& client);
  Address first_line(const ReplayRequest& request) const { return request.address / spec_.line_bytes; }
  Address last_line(const ReplayRequest& request) const {
    return (request.address + request.bytes - 1) / spec_.line_bytes;
  }
  bool look_up(Address line, std::uint32_t pending, Picoseconds now);
  void fetch(std::uint32_t miss, Picoseconds now);
  void access_bank(Address line, std::uint32_t pending, Picoseconds now);
  void line_ready(std::uint32_t pending, Picoseconds time);
  bool is_constant(Address line) const;

  const ClusterMemorySpec spec_;
  const Bytes grain_;
  const Clock clock_;
  const int cluster_;
  ReplayMemory& memory_;
  CacheArray tags_;
  std::map<Address, Address> constants_;  // segments that are never written: begin, end
  Slab<Pending> pending_;
  Slab<Miss> misses_;
  std::map<std::pair<Address, std::int64_t>, std::uint32_t> on_the_way_;  // by line and barriers
  std::deque<Waiting> waiting_;                                           // for a miss register
  std::vector<Picoseconds> bank_free_;
  std::int64_t barriers_ = 0;
};

}  // namespace tilewright
