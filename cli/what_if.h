// --what-if: the run again on changed chips, its gains beside the account of where the time went.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulate.h"
#include "planner/search/study/what_if.h"

namespace tilewright {

void add_what_if_option(CLI::App& command, std::string& what_if);

// Plans the workload again for a changed chip; throws UserError when that cannot be done.
using PlanAgain = std::function<Plan(const Hardware& changed)>;

class WhatIfRuns {
 public:
  // `text` as the option has it, empty: nothing to do. `hardware_file` is that of `chip`. UserError for a change that
  // is none or makes no chip.
  WhatIfRuns(const std::string& text, const std::string& hardware_file, const Hardware& chip);

  // Before the first run of the process: plans again, where `plan_again` is given, and makes the chips. `simulate` then
  // runs on one of them.
  void prepare(SimulateOptions& simulate, const PlanAgain& plan_again);
  // After the run: measures on every changed chip.
  void measure(const Program& program, Report& report);

 private:
  struct Changed {
    WhatIf change;
    Hardware hardware;
    std::optional<Plan> plan;
    std::string trouble;
    std::unique_ptr<Session> session;
  };

  std::optional<Picoseconds> time_of(Changed& changed, const Program& program);

  const Hardware chip_;
  std::vector<Changed> changed_;
  std::unique_ptr<Session> session_;
};

}  // namespace tilewright
