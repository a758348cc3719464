// A module with one method that runs when something is due: nothing is clocked, a module without work has no event.
#pragma once

#include <string>
#include <systemc>

#include "sim/base/statistics.h"
#include "sim/model/run_context.h"

namespace tilewright {

class TimedModule : public sc_core::sc_module {
 public:
  TimedModule(sc_core::sc_module_name name, RunContext& context);

  // Runs evaluate() at `time` (kernel time; now or earlier: in the next delta). Of several calls the earliest holds, so
  // evaluate() itself asks again for what comes later.
  void wake_at(Picoseconds time);
  void wake() { wake_at(0); }

  // What the module has in its hands and waits for; empty when it has nothing to do.
  virtual std::string waiting_for() const = 0;

 protected:
  virtual void evaluate() = 0;
  void cancel_wake() { wake_.cancel(); }
  RunContext& context() const { return context_; }

 private:
  void run_guarded();

  RunContext& context_;
  sc_core::sc_event wake_;
};

}  // namespace tilewright
