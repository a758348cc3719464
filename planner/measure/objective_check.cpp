#include "planner/measure/objective_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {

void check_objective(const Hardware& hardware, Objective objective) {
  const auto& events = hardware.energy.picojoules;
  const bool none = hardware.energy.static_watts == 0 &&
                    std::all_of(events.begin(), events.end(), [](double picojoules) { return picojoules == 0; });
  if (objective != Objective::kCycles && none)
    throw UserError("--objective", fmt::format("'{}' has no energies, so that nothing can be saved", hardware.name));
}

}  // namespace tilewright
