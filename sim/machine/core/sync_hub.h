// Signals and barriers between cores: everything arrives a fixed time after it was sent, except signals that the chip
// sends as packets.
#pragma once

#include <string>
#include <vector>

#include "sim/base/containers.h"
#include "sim/base/statistics.h"
#include "sim/hw/config/hardware.h"
#include "sim/isa/instruction.h"
#include "sim/machine/port/chip_part.h"
#include "sim/machine/port/memory_port.h"

namespace tilewright {

// The receiving end in a core.
class SyncClient {
 public:
  virtual ~SyncClient() = default;
  virtual void signal_arrived(int flag) = 0;
  virtual void barrier_released(Unit unit, Picoseconds now) = 0;
};

class SyncHub final : public SignalReceiver {
 public:
  SyncHub(const Hardware& hardware, Waker& waker);

  void attach(SyncClient& core) { cores_.push_back(&core); }
  void listen(BarrierListener& listener) { listeners_.push_back(&listener); }
  // For a chip that sends signals as packets.
  void send_signals_by(SignalPath& path) { path_ = &path; }
  void reset();

  // From core `from`; one to itself never leaves the core.
  void send_signal(int from, const Signal& signal, std::uint16_t op, Picoseconds now);
  void signal_arrived(int core, int flag) override { cores_[core]->signal_arrived(flag); }
  void reach_barrier(int core, Unit unit, const Barrier& barrier, Picoseconds now);
  // Delivers what is due. Returns when the next delivery is.
  Picoseconds evaluate(Picoseconds now);

  // Barriers that miss somebody; empty when there are none.
  std::string waiting_for() const;
  void add_statistics(const std::string& prefix, const RunSpan& run, Statistics& statistics) const;
  void add_probes(Probes& probes) const;

 private:
  struct Delivery {
    Picoseconds time = 0;
    int core = 0;
    int flag = -1;            // -1: release from a barrier
    Unit unit = Unit::kLoad;  // of the release
  };
  struct Arrival {
    int core = 0;
    Unit unit = Unit::kLoad;
  };
  struct Gathering {
    Barrier barrier;
    std::vector<Arrival> arrived;
  };
  struct State {
    Ring<Delivery> deliveries;  // the delay is the same for all, so in order of time
    std::vector<Gathering> gatherings;
    std::int64_t signals = 0, barriers = 0;
  };

  void deliver(const Delivery& delivery, Picoseconds now);
  void push(int core, int flag, Unit unit, Picoseconds now);
  Gathering& gathering_of(const Barrier& barrier);
  void open(Gathering& gathering, Picoseconds now);

  const Picoseconds delay_;
  Waker& waker_;
  SignalPath* path_ = nullptr;
  std::vector<SyncClient*> cores_;
  std::vector<BarrierListener*> listeners_;
  State state_;
};

}  // namespace tilewright
