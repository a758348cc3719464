// The SystemC modules around parts of the chip that are plain classes (sim/machine): a module owns its part and gives
// it a place in the hierarchy and a prefix for its statistics.
#pragma once

#include <string>
#include <utility>

#include "sim/machine/port/chip_part.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {

// A module with one method that runs when something is due: nothing is clocked, a module without work has no event.
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

// How a module is listed: its kind (a literal) and the prefix of its statistics.
struct ModuleLabel {
  const char* kind;
  std::string prefix;
};

// Around a part that asks for time: runs its evaluate() when it has asked for it.
template <typename Part>
class Shell : public TimedModule {
 public:
  // `arguments` of the part, whose last parameter is the Waker.
  template <typename... Arguments>
  Shell(sc_core::sc_module_name name, ModuleLabel label, FirstFault& faults, Arguments&&... arguments)
      : TimedModule(name, label.kind, faults),
        prefix_(std::move(label.prefix)),
        part_(std::forward<Arguments>(arguments)..., *this) {}

  Part& part() { return part_; }
  const Part& part() const { return part_; }

  // `arguments` of the part's reset().
  template <typename... Arguments>
  void reset(Arguments&&... arguments) {
    cancel_wake();
    part_.reset(std::forward<Arguments>(arguments)...);
  }
  void add_statistics(const RunSpan& run, Statistics& statistics) override {
    part_.add_statistics(prefix_, run, statistics);
  }
  void add_probes(Probes& probes) const override { part_.add_probes(probes); }

 private:
  Picoseconds evaluate(Picoseconds now) override { return part_.evaluate(now); }

  const std::string prefix_;
  Part part_;
};

// Around a part that only acts when it is called.
template <typename Part>
class PassiveShell : public ChipModule {
 public:
  template <typename... Arguments>
  PassiveShell(sc_core::sc_module_name name, ModuleLabel label, Arguments&&... arguments)
      : ChipModule(name, label.kind), prefix_(std::move(label.prefix)), part_(std::forward<Arguments>(arguments)...) {}

  Part& part() { return part_; }
  const Part& part() const { return part_; }

  void add_statistics(const RunSpan& run, Statistics& statistics) override {
    part_.add_statistics(prefix_, run, statistics);
  }
  void add_probes(Probes& probes) const override { part_.add_probes(probes); }

 private:
  const std::string prefix_;
  Part part_;
};

}  // namespace tilewright
