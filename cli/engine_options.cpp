#include "cli/engine_options.h"

#include <fmt/format.h>

#include "planner/measure/slice.h"
#include "sim/base/error.h"

namespace tilewright {

void add_engine_options(CLI::App& command, EngineOptions& options, const std::string& what) {
  command.add_option("--slice", options.slice, fmt::format("only every n-th {} from the i-th on", what))
      ->type_name("i/n");
  command.add_option("--engine", options.engine, "local, or slurm: a job array of slices")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  command.add_option("--slices", options.slices, "slurm: tasks of the array, each with --jobs processes")
      ->check(CLI::Range(1, 10000));
  command.add_option("--slurm-option", options.slurm_options, "slurm: an option for sbatch, e.g. --partition=long")
      ->type_name("OPTION")
      ->take_all();
}

void check_engine(const EngineOptions& options) {
  const Slice slice = parse_slice(options.slice);
  if (!options.is_slurm()) return;
  if (options.slices == 0) throw UserError("--slices", "missing, expected the number of tasks of the Slurm array");
  if (!slice.is_all()) throw UserError("--slice", "is for workers; --engine slurm makes its own");
}

}  // namespace tilewright
