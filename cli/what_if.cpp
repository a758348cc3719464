#include "cli/what_if.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "planner/report/run/verdict.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

// What the account says: of every cause that a key acts on, the part that the strongest of them takes away.
std::optional<double> told_by_account(const WhatIf& change, const Report& report) {
  std::array<double, kCauseCount> taken{};
  for (const WhatIfSetting& setting : change.settings) {
    const std::vector<Cause> causes = causes_under(setting.key);
    if (causes.empty()) return std::nullopt;
    for (const Cause cause : causes) {
      double& most = taken[static_cast<int>(cause)];
      most = std::max(most, setting.taken_away);
    }
  }
  return std::inner_product(taken.begin(), taken.end(), report.mean_causes.begin(), 0.0);
}

}  // namespace

void add_what_if_option(CLI::App& command, std::string& what_if) {
  command
      .add_option("--what-if", what_if,
                  "run on changed chips too: KEY=xN, KEY=VALUE or KEY=free of the hardware file, e.g. "
                  "dram.channels=x2,core.vector.lanes=free; '+' joins keys of one change")
      ->type_name("CHANGES");
}

WhatIfRuns::WhatIfRuns(const std::string& text, const std::string& hardware_file, const Hardware& chip) : chip_(chip) {
  if (text.empty()) return;
  const std::string file = read_text_file(hardware_file);
  for (const WhatIf& change : parse_what_if(text, chip))
    changed_.push_back({change, changed_hardware(change, file), {}, {}, {}});
}

void WhatIfRuns::prepare(SimulateOptions& simulate, const PlanAgain& plan_again) {
  if (changed_.empty()) return;
  for (Changed& changed : changed_) {
    try {
      if (plan_again) changed.plan = plan_again(changed.hardware);
    } catch (const UserError& error) {
      changed.trouble = error.what();
    }
  }
  session_ = std::make_unique<Session>(chip_);
  for (Changed& changed : changed_) changed.session = std::make_unique<Session>(changed.hardware);
  simulate.execute = [this](const Program& program, const Hardware&, RunOptions options, bool trace) {
    return execute_on(*session_, program, std::move(options), trace);
  };
}

std::optional<Picoseconds> WhatIfRuns::time_of(Changed& changed, const Program& program) {
  try {
    return changed.session->run(program).time;
  } catch (const UserError& error) {
    changed.trouble = error.what();
    return std::nullopt;
  }
}

void WhatIfRuns::measure(const Program& program, Report& report) {
  for (Changed& changed : changed_) {
    WhatIfReport told{.change = changed.change.text, .account = told_by_account(changed.change, report)};
    told.same_program = time_of(changed, program);
    if (changed.plan) told.planned_again = time_of(changed, changed.plan->program);
    told.trouble = changed.trouble;
    report.what_if.push_back(std::move(told));
  }
}

}  // namespace tilewright
