// Where long work runs: in processes of this machine, or as slices in the tasks of a Slurm job array.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilewright {

struct EngineOptions {
  std::string engine = "local", slice = "1/1";
  int slices = 0;  // slurm: tasks of the array
  std::vector<std::string> slurm_options;
  bool is_slurm() const { return engine == "slurm"; }
};

// `what`: what a slice takes every n-th of, e.g. "point".
void add_engine_options(CLI::App& command, EngineOptions& options, const std::string& what);

// UserError for a slice that is none, and for options that do not go with a job array.
void check_engine(const EngineOptions& options);

}  // namespace tilewright
