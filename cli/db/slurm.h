// A tiling database built as a Slurm job array: each slice of the shapes into a file of its own, merged at the end.
#pragma once

#include <string>
#include <vector>

#include "cli/engine_options.h"
#include "planner/search/database/database_build.h"

namespace tilewright {

struct DatabaseArray {
  std::vector<std::string> options;  // of `db build`, but for the output and those of the engine
  std::string database;
  const Hardware& hardware;
  std::vector<OperatorShape> shapes;
  Objective objective = Objective::kCycles;
  BuildOptions build;
  int jobs = 1;  // processes of a task
};

// The folder of the slices is `database`.slurm; an interrupted build goes on from there. Returns false when
// interrupted.
bool build_on_slurm(const DatabaseArray& array, const EngineOptions& engine);

}  // namespace tilewright
