// The declared commands, one by one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilewright {

struct Command {
  std::string path;  // "db build"
  const CLI::App* app;
};

// Every command that --help lists and takes arguments itself, depth first.
std::vector<Command> commands_of(const CLI::App& app, const std::string& path = "");

// Direct sub-commands that --help lists.
std::vector<const CLI::App*> listed_commands(const CLI::App& app);

std::vector<const CLI::Option*> arguments_of(const CLI::App& command);
std::vector<const CLI::Option*> options_of(const CLI::App& command);

}  // namespace tilewright
