// Signals and barriers between cores: everything arrives a fixed time after it was sent.
#pragma once

#include <string>
#include <vector>

#include "sim/hw/hardware.h"
#include "sim/isa/instruction.h"
#include "sim/model/ring.h"
#include "sim/model/timed_module.h"

namespace tilewright {

// The receiving end in a core.
class SyncClient {
 public:
  virtual ~SyncClient() = default;
  virtual void signal_arrived(int flag) = 0;
  virtual void barrier_released(Unit unit) = 0;
};

// Told when a barrier opens: caches drop what the program may have written.
class BarrierListener {
 public:
  virtual ~BarrierListener() = default;
  virtual void barrier_opened() = 0;
};

class SyncHub : public TimedModule {
 public:
  SyncHub(sc_core::sc_module_name name, const Hardware& hardware, RunContext& context);

  void attach(SyncClient& core) { cores_.push_back(&core); }
  void listen(BarrierListener& listener) { listeners_.push_back(&listener); }
  void reset();

  void send_signal(const Signal& signal);
  void reach_barrier(int core, Unit unit, const Barrier& barrier);

  std::string waiting_for() const override;
  void add_statistics(Statistics& statistics) const;

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

  void evaluate() override;
  void deliver(const Delivery& delivery);
  void push(int core, int flag, Unit unit);
  Gathering& gathering_of(const Barrier& barrier);
  void open(Gathering& gathering);

  const Picoseconds delay_;
  std::vector<SyncClient*> cores_;
  std::vector<BarrierListener*> listeners_;
  State state_;
};

}  // namespace tilewright
