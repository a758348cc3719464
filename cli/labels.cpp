// tilewright labels HARDWARE WORKLOAD: labels of all tensors, and what every core does.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/workload_options.h"
#include "planner/report/run/plan_text.h"

namespace tilewright {

void add_labels_command(CLI::App& app) {
  auto command = std::make_shared<WorkloadOptions>();
  CLI::App* sub =
      app.add_subcommand("labels", "Print the labels of a workload's tensors and the task list of each core");
  add_workload_options(*sub, *command);
  sub->callback([command] { fmt::print("{}", labels_text(plan_workload(*command))); });
}

}  // namespace tilewright
