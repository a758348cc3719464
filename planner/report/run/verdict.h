// What held a run up most, and what to change first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/report/run/report.h"

namespace tilewright {

struct Verdict {
  std::string sentence;  // the largest cause, with the figure that says so
  std::string change;    // as --what-if takes it; empty: no key of the chip acts on it
};
Verdict verdict_of(const Report& report);

// The causes on which a key of the hardware file acts. None: it acts on several in ways that no share tells (a clock,
// the number of cores).
std::vector<Cause> causes_under(std::string_view key);

}  // namespace tilewright
