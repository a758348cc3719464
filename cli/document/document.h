// Texts for other programs to read, made from the declared commands as --help is: so they never differ from it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilewright {

// The manual page, as roff with the man macros.
std::string man_page(const CLI::App& app, const std::string& version);

// A completion script for bash: commands, options, their choices, names of shipped files, files.
std::string bash_completion(const CLI::App& app);

// The declared commands, one by one.
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
