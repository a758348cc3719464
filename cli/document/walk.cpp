#include "cli/document/walk.h"

namespace tilewright {

std::vector<const CLI::App*> listed_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<Command> commands_of(const CLI::App& app, const std::string& path) {
  std::vector<Command> commands;
  for (const CLI::App* command : listed_commands(app)) {
    const std::string name = path + command->get_name();
    const std::vector<Command> below = commands_of(*command, name + " ");
    if (below.empty()) commands.push_back({name, command});
    commands.insert(commands.end(), below.begin(), below.end());
  }
  return commands;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

}  // namespace tilewright
