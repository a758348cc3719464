// What the sub-commands of `tilewright db` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/array_job.h"
#include "cli/database_options.h"
#include "planner/search/database/database_build.h"
#include "planner/search/database/random_shapes.h"

namespace tilewright {

// Which shapes: a file of them, those of a workload, or drawn at random.
struct ShapeSource {
  std::string file, workload, type = "bf16";
  std::vector<std::string> dimensions;  // of the workload, NAME=N
  std::int64_t random = 0, seed = 1;
  ShapeRange range;
};
void add_shape_source(CLI::App& command, ShapeSource& source);
std::vector<OperatorShape> shapes_of(const ShapeSource& source);
// The same, and of a workload behind them what its operators become when this chip's planner fuses and merges them.
std::vector<OperatorShape> shapes_to_build(const ShapeSource& source, const Hardware& hardware);

// "63.4 %".
std::string share_text(double part, double whole);

// One function per sub-command.
void add_db_build(CLI::App& db);
void add_db_lookup(CLI::App& db, int& result);
void add_db_check(CLI::App& db);
void add_db_verify(CLI::App& db, int& result);
void add_db_plot(CLI::App& db);
void add_db_manage(CLI::App& db, int& result);  // merge, migrate, diff, prune, stats, check-integrity
void add_db_exchange(CLI::App& db);             // export, import

// A tiling database built as a Slurm job array: each slice of the shapes into a file of its own, merged at the end.
struct DatabaseArray {
  std::vector<std::string> options;  // of `db build`, but for the output and those of the engine
  std::string database;
  const Hardware& hardware;
  std::vector<OperatorShape> shapes;
  Objective objective = Objective::kCycles;
  BuildOptions build;
  int jobs = 1;  // processes of a task
};

// The folder of the slices is `database`.slurm; an interrupted build goes on from there. Throws Stopped
// (sim/base/stop.h), with the array cancelled.
void build_on_slurm(const DatabaseArray& array, const EngineOptions& engine);

}  // namespace tilewright
