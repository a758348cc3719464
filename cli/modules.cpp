// tilewright modules HARDWARE: the modules of the simulated chip as a tree.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/session.h"

namespace tilewright {
namespace {

struct ModulesCommand {
  std::string hardware;
  bool statistics = false;
};

int depth_of(const ModuleInfo& module) {
  return static_cast<int>(std::count(module.name.begin(), module.name.end(), '.'));
}

void print_statistics(const ModuleInfo& module, int indent) {
  for (const Statistic& one : module.statistics.all())
    fmt::print("{:{}}- {} [{}]: {}\n", "", indent, one.name, one.unit, one.description);
}

void print_modules(const ModulesCommand& command) {
  Session session(load_hardware(command.hardware));
  for (const ModuleInfo& module : session.modules()) {
    const int indent = 2 * depth_of(module);
    const std::string leaf = module.name.substr(module.name.rfind('.') + 1);
    const std::string label = fmt::format("{:<28} {}", std::string(indent, ' ') + leaf, module.kind);
    const std::size_t count = module.statistics.all().size();
    fmt::print("{}\n", count == 0 ? label : fmt::format("{:<46} {:>2} statistics", label, count));
    if (command.statistics) print_statistics(module, indent + 2);
  }
}

}  // namespace

void add_modules_command(CLI::App& app) {
  auto command = std::make_shared<ModulesCommand>();
  CLI::App* sub = app.add_subcommand("modules", "Print the modules of the simulated chip as a tree");
  add_file_argument(*sub, Shipped::kChip, command->hardware)->required();
  sub->add_flag("--statistics", command->statistics, "list the statistics of each module");
  sub->callback([command] { print_modules(*command); });
}

}  // namespace tilewright
