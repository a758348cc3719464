// Signals and barriers between the cores of a replay: everything arrives a fixed time after it was sent.
#pragma once

#include <map>
#include <vector>

#include "planner/cost/replay/calendar.h"
#include "sim/hw/hardware.h"
#include "sim/isa/instruction.h"

namespace tilewright {

class ReplayCache;

class ReplaySync {
 public:
  // What a core is told: flag number, or kReleased + its stream.
  static constexpr std::uint32_t kReleased = 1u << 30;

  ReplaySync(const Hardware& hardware, Calendar& calendar)
      : delay_(hardware.core_clock.to_ps(hardware.core.control.signal_cycles)), calendar_(calendar) {}

  void attach(ReplayActor& core) { cores_.push_back(&core); }
  void attach(ReplayCache& cache) { caches_.push_back(&cache); }
  void send(const Signal& signal, Picoseconds now);
  void reach(int core, Unit unit, const Barrier& barrier, Picoseconds now);

 private:
  struct Arrival {
    int core;
    Unit unit;
  };

  const Picoseconds delay_;
  Calendar& calendar_;
  std::vector<ReplayActor*> cores_;
  std::vector<ReplayCache*> caches_;
  std::map<int, std::vector<Arrival>> arrived_;  // by barrier
};

}  // namespace tilewright
