// Texts for other programs to read, made from the declared commands as --help is: so they never differ from it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tilewright {

// The manual page, as roff with the man macros.
std::string man_page(const CLI::App& app, const std::string& version);

// A completion script for bash: commands, options, their choices, names of shipped files, files.
std::string bash_completion(const CLI::App& app);

}  // namespace tilewright
