// tilewright plan HARDWARE WORKLOAD: everything but the simulation.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/workload_options.h"
#include "planner/report/run/plan_text.h"
#include "planner/report/run/result_folder.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/text.h"

namespace tilewright {
namespace {

struct PlanCommand : WorkloadOptions {
  std::string output;
};

void run(const PlanCommand& command) {
  if (!command.output.empty()) check_result_folder(command.output);
  const Plan plan = plan_workload(command);
  const std::string text = plan_text(plan);
  if (!command.output.empty())
    write_result_folder(
        command.output,
        {{"hardware.yaml", to_yaml(plan.hardware)}, {"plan.txt", text}, {"program.tw", print_program(plan.program)}});
  fmt::print("{}", text);
  if (!command.output.empty()) fmt::print("\nPlan and program: {}\n", command.output);
}

}  // namespace

void add_plan_command(CLI::App& app) {
  auto command = std::make_shared<PlanCommand>();
  CLI::App* sub = app.add_subcommand("plan", "Plan a workload without simulating it: splits, tilings, program size");
  add_workload_options(*sub, *command);
  add_order_option(*sub, *command);
  sub->add_option("-o,--output", command->output, "write plan.txt, program.tw and hardware.yaml")->type_name("DIR");
  sub->callback([command] { run(*command); });
}

}  // namespace tilewright
