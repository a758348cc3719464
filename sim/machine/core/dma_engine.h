// The DMA engine: runs the load and the store stream of a core. Each instruction is a strided box, cut lazily
// into memory requests; the two streams share the issue slots, the requests in flight and the port to the buffers.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/base/units.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/chip_map.h"
#include "sim/isa/request_splitter.h"
#include "sim/machine/core/core_buffers.h"
#include "sim/machine/core/stream.h"
#include "sim/machine/port/chip_part.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

// The single port between the DMA engine and the buffers: transfers pass one after the other.
class BufferPort {
 public:
  BufferPort(Bytes bytes_per_cycle, Clock clock) : bytes_per_cycle_(bytes_per_cycle), clock_(clock) {}

  void reset() { state_ = State{}; }
  // Passes `bytes` as soon as the port is free, at `now` at the earliest. Returns when the last byte has passed.
  Picoseconds pass(Bytes bytes, Picoseconds now) {
    const Picoseconds duration = (bytes * clock_.period_ps + bytes_per_cycle_ - 1) / bytes_per_cycle_;
    state_.free_at = std::max(state_.free_at, now) + duration;
    state_.busy += duration;
    return state_.free_at;
  }
  Picoseconds free_at() const { return state_.free_at; }
  Picoseconds busy() const { return state_.busy; }

 private:
  struct State {
    Picoseconds free_at = 0, busy = 0;
  };
  const Bytes bytes_per_cycle_;
  const Clock clock_;
  State state_;
};

class DmaEngine final : public MemoryPath {
 public:
  // `cluster` serves the addressed share of the cluster memory; nullptr on a bus cluster.
  DmaEngine(const Hardware& hardware, int core, MemoryServer& dram, MemoryServer* cluster, Scoreboard& scoreboard,
            StreamOwner& owner, const CoreBuffers& buffers, Waker& waker);

  Stream& stream(Unit unit) { return lanes_[static_cast<int>(unit)].stream; }
  void wake() { waker_.wake(); }
  void reset();
  void memory_done(const MemoryRequest& request, Picoseconds now);
  // Another core reads or writes this core's buffers: it takes its turn at the port to them.
  void send(const MemoryRequest& request, MemoryClient& client, Picoseconds now) override;
  // Completes, starts and issues what it can. Returns when to run again.
  Picoseconds evaluate(Picoseconds now);
  std::string waiting_for() const;
  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const;
  void add_probes(Probes& probes) const;

 private:
  // An instruction that has started and not yet completed.
  struct Job {
    int outstanding = 0;
    bool issued_all = false;
    Picoseconds ready = 0;  // setup, port and padding done
    Bytes arrived = 0;      // useful bytes read from memory
    const Instruction* instruction = nullptr;
    TransferTimes times;
  };
  // What the head of a stream is issuing.
  struct Issue {
    const Instruction* instruction = nullptr;
    std::uint32_t number = 0;
    Picoseconds from = 0;  // setup is over
    RequestSplitter reads, writes;
    Bytes written = 0;        // useful bytes of the writes issued
    PlainRequest next_write;  // taken from `writes`, waits for its bytes; 0 bytes: none left
    bool reads_left() const { return !reads.done(); }
    bool writes_left() const { return next_write.bytes > 0; }
  };
  struct LaneState {
    Ring<Job> jobs;           // as the transfers in flight of the stream
    std::uint32_t first = 0;  // job number of jobs.front()
    Issue issue;
  };
  struct Lane {
    Stream stream;
    LaneState state;
  };
  struct Outstanding {
    std::uint8_t lane = 0;
    bool write = false;
    bool to_buffer = false;  // a load's data, which passes the port
    std::uint32_t number = 0;
    Bytes useful = 0;
    Picoseconds sent = 0;
    bool sum = false;
  };
  // A request of another core that is passing the port.
  struct Guest {
    MemoryRequest request;
    MemoryClient* client = nullptr;
    Picoseconds done = 0;
  };
  struct State {
    SlotTable<Outstanding> outstanding;
    Ring<Guest> guests;  // in order of their times
    Cycles cycle = -1;
    int issued_now = 0;
    int turn = 0;  // lane that goes first
    int sums = 0;  // under way in the network
    std::int64_t requests = 0;
    Bytes read_bytes = 0, write_bytes = 0, padding_bytes = 0, guest_bytes = 0;
  };

  bool start_next(int lane, Picoseconds now);
  void begin(Lane& lane, const Instruction& instruction, Picoseconds now);
  void begin_requests(Issue& issue, const Transfer& transfer) const;
  RequestLimits limits_of(const Box& box) const;
  Address first_address(const Box& box) const;
  Picoseconds answer_guests(Picoseconds now);
  Job& job_of(Lane& lane, std::uint32_t number) { return lane.state.jobs[number - lane.state.first]; }
  Picoseconds retire(Lane& lane, Picoseconds now);
  bool issue_requests(Picoseconds now);
  bool issue_one(int lane, Picoseconds now);
  bool may_write(const Lane& lane, Picoseconds now) const;
  void issue_write(int lane, Picoseconds now);
  void issue_read(int lane, Picoseconds now);
  void send_request(int lane, const PlainRequest& request, const Transfer& transfer, bool write, Picoseconds now);
  void end_issue(Lane& lane, Picoseconds now);
  bool settle(Lane& lane, std::uint32_t number, Picoseconds now);
  void count_buffer(const Transfer& transfer, int op);
  bool has_place(int lane, Picoseconds now) const;
  bool waits_for_port(const Lane& lane, Picoseconds now) const;
  Picoseconds next_issue(int lane, Picoseconds now) const;
  void pass_port(Job& job, Bytes bytes, Picoseconds now);
  bool slot_left() const { return state_.outstanding.used() < spec_.outstanding_requests; }
  bool may_read(const Issue& issue) const;
  bool is_full() const { return !slot_left() || (state_.sums > 0 && state_.sums == hardware_.network.reduction); }

  const Hardware& hardware_;
  const DmaSpec spec_;
  const Clock clock_;
  const std::uint16_t core_;
  const ChipMap map_;
  StreamOwner& owner_;
  MemoryServer& dram_;
  MemoryServer* const cluster_;
  const CoreBuffers& buffers_;
  Waker& waker_;
  BufferPort port_;
  std::array<Lane, 2> lanes_;
  State state_;
};

}  // namespace tilewright
