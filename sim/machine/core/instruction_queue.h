// Fetches a core's instructions over the memory path and dispatches them, in program order, to the unit streams.
#pragma once

#include <array>
#include <string>

#include "sim/base/containers.h"
#include "sim/base/event.h"
#include "sim/base/statistics.h"
#include "sim/hw/config/hardware.h"
#include "sim/machine/core/stream.h"
#include "sim/machine/port/chip_part.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

// Marks the core's own fetches among its memory requests.
inline constexpr std::uint32_t kFetchTag = 1u << 31;

class InstructionQueue {
 public:
  // A stream of the core and who is woken when something was pushed into it.
  struct Target {
    Stream& stream;
    Waker& waker;
  };

  // `targets` in the order of Unit.
  InstructionQueue(const Hardware& hardware, int core, Scoreboard& scoreboard, MemoryServer& memory,
                   const std::array<Target, kUnitCount>& targets, EventMeter& meter, Waker& waker);

  void reset(const CoreProgram& program, Picoseconds launch);
  void wake() { waker_.wake(); }
  void fetched(const MemoryRequest& request, Picoseconds now);
  // Fetches ahead and dispatches what has arrived and finds room. Returns when to run again.
  Picoseconds evaluate(Picoseconds now);
  bool all_dispatched() const;
  std::string waiting_for() const;
  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const;
  void add_probes(Probes& probes) const;

 private:
  struct State {
    const CoreProgram* program = nullptr;
    Picoseconds start = 0;         // launch and launch_cycles
    std::size_t next = 0;          // first instruction not dispatched
    Bytes next_end = 0;            // its last byte, from fetch_address
    Bytes total = 0;               // bytes of the whole stream
    Bytes requested = 0;           // asked for so far
    Ring<Bytes> blocks;            // bytes missing of each block from `first_block` on, in order
    std::int64_t first_block = 0;  // oldest block with bytes not dispatched
    Cycles cycle = -1;             // dispatched_now counts in this one
    int dispatched_now = 0;
    std::int64_t requests = 0;
  };

  void fetch_ahead(Picoseconds now);
  void request_block(Picoseconds now);
  bool next_arrived() const;
  bool dispatch_next(Picoseconds now);
  void release_blocks();

  const ControlSpec spec_;
  const Clock clock_;
  const Bytes chunk_;
  const std::uint16_t core_;
  Scoreboard& scoreboard_;
  MemoryServer& memory_;
  const std::array<Target, kUnitCount> targets_;
  EventMeter& meter_;
  Waker& waker_;
  State state_;
};

}  // namespace tilewright
