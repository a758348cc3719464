// Fetches a core's instructions over the memory path and dispatches them, in program order, to the unit streams.
#pragma once

#include <array>
#include <string>

#include "sim/hw/hardware.h"
#include "sim/model/core/stream.h"
#include "sim/model/memory/memory_request.h"
#include "sim/model/ring.h"
#include "sim/model/timed_module.h"

namespace tilewright {

// Marks the core's own fetches among its memory requests.
inline constexpr std::uint32_t kFetchTag = 1u << 31;

class InstructionQueue : public TimedModule {
 public:
  // `dispatched` streams in the order of Unit; after a push their module is told by StreamOwner of the core.
  InstructionQueue(sc_core::sc_module_name name, const Hardware& hardware, int core, Scoreboard& scoreboard,
                   MemoryServer& memory, std::array<Stream*, kUnitCount> streams,
                   std::array<TimedModule*, kUnitCount> modules, RunContext& context);

  void reset(const CoreProgram& program, Picoseconds launch);
  void fetched(const MemoryRequest& request);
  bool all_dispatched() const;
  std::string waiting_for() const override;
  void add_statistics(const std::string& prefix, Statistics& statistics) const;

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

  void evaluate() override;
  void fetch_ahead();
  void request_block();
  bool next_arrived() const;
  bool dispatch_next();
  void release_blocks();

  const ControlSpec spec_;
  const Clock clock_;
  const Bytes grain_;
  const std::uint16_t core_;
  Scoreboard& scoreboard_;
  MemoryServer& memory_;
  const std::array<Stream*, kUnitCount> streams_;
  const std::array<TimedModule*, kUnitCount> modules_;
  State state_;
};

}  // namespace tilewright
