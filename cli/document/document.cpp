// tilewright document man|bash: what the package installs besides the program. Not listed by --help.
#include "cli/document/document.h"

#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"

namespace tilewright {

void add_document_command(CLI::App& app, const std::string& version) {
  auto kind = std::make_shared<std::string>();
  CLI::App* sub = app.add_subcommand("document", "Print the manual page (man) or the completion script (bash)");
  sub->group("");
  sub->add_option("KIND", *kind, "man or bash")->required()->check(CLI::IsMember({"man", "bash"}));
  sub->callback(
      [kind, &app, version] { fmt::print("{}", *kind == "man" ? man_page(app, version) : bash_completion(app)); });
}

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
