// What every command may take of this machine: --memory-limit, --max-requests, --max-seconds.
#pragma once

#include <CLI/CLI.hpp>

namespace tilewright {

// The limits are in effect once the options are read; the clock of --max-seconds runs from there.
void add_limits(CLI::App& app);

}  // namespace tilewright
