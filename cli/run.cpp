// tilewright run HARDWARE WORKLOAD: the whole path, from a workload file to its measured cost.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/simulate.h"
#include "cli/workload_options.h"
#include "planner/report/text.h"
#include "planner/search/tiling_network.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

struct RunCommand : WorkloadOptions {
  std::string output;
  bool program = false;
  SimulateOptions simulate;
  std::int64_t tune = 0;
  int jobs = default_jobs();
};

int run(const RunCommand& command) {
  if (!command.output.empty()) check_result_folder(command.output);
  Plan plan = plan_workload(command);
  if (command.tune > 0) plan = tuned_plan(plan, {.budget = command.tune}, command.jobs);
  const Simulated simulated = simulate_plan(plan, workload_name(command.workload), command.simulate);
  if (!command.output.empty())
    write_result_folder(command.output,
                        result_files(simulated, plan.hardware, command.program ? &plan.program : nullptr));
  fmt::print("{}", to_text(simulated.report));
  if (!command.output.empty()) fmt::print("\nResults: {}\n", command.output);
  return simulated.report.check_ok() ? 0 : 1;
}

}  // namespace

void add_run_command(CLI::App& app, int& result) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* sub = app.add_subcommand("run", "Plan a workload, simulate it and report time, energy and where they went");
  add_workload_options(*sub, *command);
  add_order_option(*sub, *command);
  CLI::Option* output = sub->add_option("-o,--output", command->output, "write a result folder")->type_name("DIR");
  sub->add_flag("--check", command->simulate.check, "carry real numbers and compare the outputs with a reference");
  sub->add_flag("--trace", command->simulate.trace, "add trace.json, for Perfetto")->needs(output);
  sub->add_flag("--program", command->program, "add program.tw, the instruction program")->needs(output);
  CLI::Option* tune = sub->add_option("--tune", command->tune, "choose each contraction's tiling by this many measurements")
                          ->check(at_least(1));
  sub->add_option("--jobs", command->jobs, "processes that measure")->check(CLI::Range(1, 1024))->needs(tune);
  sub->callback([command, &result] { result = run(*command); });
}

}  // namespace tilewright
