// The load and the store stream of a core in a replay: boxes cut into the requests of the simulated machine, which
// share the issue slots, the requests in flight and the port to the buffers.
#pragma once

#include <array>
#include <vector>

#include "planner/cost/replay/replay_cache.h"
#include "planner/cost/replay/replay_sleeper.h"
#include "planner/cost/replay/replay_stream.h"
#include "sim/base/slab.h"
#include "sim/isa/request_splitter.h"

namespace tilewright {

class ReplayDau : public ReplayClient {
 public:
  // `cache` nullptr on a bus cluster. `owner` is woken when an answer makes something possible.
  ReplayDau(const Hardware& hardware, int core, ReplayMemory& memory, ReplayCache* cache, ReplaySleeper& owner);

  ReplayStream& stream(int lane) { return lanes_[lane].stream; }
  // The lane has issued all requests of the instruction before.
  bool free(int lane) const { return lanes_[lane].instruction == nullptr; }
  // Works on a transfer that its stream has started as `number`.
  void begin(int lane, std::size_t number, const Instruction& instruction, Picoseconds now);
  // Issues what can be issued in the next few cycles.
  void issue(Picoseconds now);
  // When something can be issued next; kNever when an answer has to come first.
  Picoseconds next_issue(Picoseconds now) const;

  void answered(const ReplayRequest& request, Picoseconds time) override;

 private:
  struct Job {
    int outstanding = 0;
    bool issued_all = false;
    Picoseconds ready = 0;  // setup, port and padding done
    Bytes arrived = 0;      // useful bytes read
  };
  struct Lane {
    ReplayStream stream;
    std::vector<Job> jobs;  // by number in the stream
    const Transfer* instruction = nullptr;
    std::size_t number = 0;
    Picoseconds from = 0;  // setup is over
    RequestSplitter reads, writes;
    PlainRequest next_write;
    Bytes written = 0;
  };
  struct Outstanding {
    int lane = 0;
    std::size_t number = 0;
    Bytes useful = 0;
    bool to_buffer = false;
  };

  RequestLimits limits_of(Space space) const;
  bool issue_one(int lane, Picoseconds now);
  bool may_write(const Lane& lane, Picoseconds now) const;
  void send(int lane, const PlainRequest& request, bool write, Picoseconds now);
  void end_issue(int lane, Picoseconds now);
  bool settle(Lane& lane, std::size_t number, Picoseconds now);
  // Of `bytes` through the port to the buffers, from `now` on.
  Picoseconds pass_port(Bytes bytes, Picoseconds now);
  bool slot_left() const { return outstanding_.used() < spec_.outstanding_requests; }

  const Hardware& hardware_;
  const DauSpec spec_;
  const Clock clock_;
  const int cluster_;
  ReplayMemory& memory_;
  ReplayCache* const cache_;
  ReplaySleeper& owner_;
  std::array<Lane, 2> lanes_;
  Slab<Outstanding> outstanding_;
  int turn_ = 0;
  Picoseconds slot_free_ = 0, port_free_ = 0;
};

}  // namespace tilewright
