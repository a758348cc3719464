#include "sim/model/kernel/shell.h"

namespace tilewright {

TimedModule::TimedModule(sc_core::sc_module_name name, const char* kind, FirstFault& faults)
    : ChipModule(name, kind), faults_(faults) {
  SC_HAS_PROCESS(TimedModule);
  SC_METHOD(run_guarded);
  sensitive << wake_;
  dont_initialize();
}

void TimedModule::wake_at(Picoseconds time) {
  if (time == kNever) return;
  const Picoseconds now = kernel_now();
  if (time <= now) {
    wake_.notify(sc_core::SC_ZERO_TIME);
  } else {
    wake_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time - now)));
  }
}

void TimedModule::run_guarded() {
  if (faults_.failed()) return;
  try {
    faults_.activated();
    wake_at(evaluate(kernel_now()));
  } catch (...) {
    faults_.fault(std::current_exception());
  }
}

}  // namespace tilewright
