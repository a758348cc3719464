// A module of the chip: it has a place in the hierarchy, a kind, statistics, and figures that a waveform can show; and
// where its faults go.
#pragma once

#include <exception>
#include <functional>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/base/statistics.h"
#include "sim/base/units.h"
#include "sim/machine/port/chip_part.h"

namespace tilewright {

// The kernel's time as the parts of the chip count it.
inline Picoseconds kernel_now() { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()); }

class ChipModule : public sc_core::sc_module {
 public:
  // `kind` is a literal, e.g. "dma_engine".
  ChipModule(sc_core::sc_module_name name, const char* kind) : sc_module(name), kind_(kind) {}

  const char* kind() const override { return kind_; }
  // Of this module alone, not of those inside it.
  virtual void add_statistics(const RunSpan&, Statistics&) {}
  virtual void add_probes(Probes&) const {}
  // Notified when something happens in this module: afterwards its probes, and those of its neighbours, may differ.
  virtual void add_activity(std::vector<const sc_core::sc_event*>&) const {}

 private:
  const char* const kind_;
};

// `root` and everything inside it, depth first, in the order of construction.
template <typename Visit>
void for_each_module(ChipModule& root, const Visit& visit) {
  visit(root);
  for (sc_core::sc_object* child : root.get_child_objects()) {
    if (auto* module = dynamic_cast<ChipModule*>(child)) for_each_module(*module, visit);
  }
}

// An exception must not leave a SystemC process (the kernel ends that process for good). Modules catch it at the edge
// and hand it here; the session stops the run and throws it again.
class FaultSink {
 public:
  virtual ~FaultSink() = default;
  virtual void fault(std::exception_ptr error) = 0;
  // A module is about to act. What this throws is a fault as well.
  virtual void activated() {}
};

// The first fault of a run; every module stands still from then on. What `look` throws every so many activations of
// modules is one too: it is how a run is watched that would not end by itself.
class FirstFault : public FaultSink {
 public:
  static constexpr std::int64_t kBetweenLooks = 4096;  // activations: about a millisecond

  explicit FirstFault(std::function<void()> look = [] {}) : look_(std::move(look)) {}
  void reset() { error_ = nullptr, activations_ = 0; }
  void activated() override {
    if (++activations_ % kBetweenLooks == 0) look_();
  }
  std::int64_t activations() const { return activations_; }
  void fault(std::exception_ptr error) override {
    if (!error_) error_ = error;
  }
  bool failed() const { return error_ != nullptr; }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::function<void()> look_;
  std::exception_ptr error_;
  std::int64_t activations_ = 0;
};

}  // namespace tilewright
