// What every command may take of this machine: --memory-limit, --max-requests, --max-seconds.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilewright {

// The limits are in effect once the options are read; the clock of --max-seconds runs from there.
void add_limits(CLI::App& app);

// This program and the limits it was given, for processes on other machines that do parts of its work.
std::vector<std::string> limited_program();

}  // namespace tilewright
