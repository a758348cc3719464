// A run as bytes, for the socket to a worker process: the program with its options one way, its result the other. Both
// ends are the same program, so values travel as they lie in memory.
#pragma once

#include <string>

#include "cli/simulate.h"

namespace tilewright {

struct RunQuery {
  Program program;
  RunOptions options;  // without its listener
  bool trace = false;
};

std::string to_bytes(const Program& program, const RunOptions& options, bool trace);
RunQuery query_from_bytes(const std::string& bytes);

std::string to_bytes(const Execution& execution);
Execution execution_from_bytes(const std::string& bytes);

}  // namespace tilewright
