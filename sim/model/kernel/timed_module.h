// A module with one method that runs when something is due: nothing is clocked, a module without work has no event.
#pragma once

#include "sim/machine/port/waker.h"
#include "sim/model/kernel/chip_module.h"
#include "sim/model/kernel/fault.h"

namespace tilewright {

class TimedModule : public ChipModule, public Waker {
 public:
  TimedModule(sc_core::sc_module_name name, const char* kind, FirstFault& faults);

  void wake_at(Picoseconds time) final;
  void add_activity(std::vector<const sc_core::sc_event*>& events) const override { events.push_back(&wake_); }

 protected:
  // Returns when to run again.
  virtual Picoseconds evaluate(Picoseconds now) = 0;
  void cancel_wake() { wake_.cancel(); }

 private:
  void run_guarded();

  FirstFault& faults_;
  sc_core::sc_event wake_;
};

}  // namespace tilewright
