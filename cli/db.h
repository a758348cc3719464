// What the sub-commands of `tilewright db` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "planner/cost/database/tiling_database.h"
#include "planner/cost/database/tiling_lookup.h"
#include "planner/search/database/random_shapes.h"

namespace tilewright {

// Which shapes: a file of them, those of a workload, or drawn at random.
struct ShapeSource {
  std::string file, workload, type = "bf16";
  std::int64_t random = 0, seed = 1;
  ShapeRange range;
};
void add_shape_source(CLI::App& command, ShapeSource& source);
std::vector<OperatorShape> shapes_of(const ShapeSource& source);

// A database and the chip whose records are meant.
struct DatabaseOptions {
  std::string database, hardware, objective = "cycles";
  int jobs = 0;  // 0: as many as the machine can run
};
void add_database(CLI::App& command, DatabaseOptions& options);
void add_hardware(CLI::App& command, DatabaseOptions& options);
void add_objective(CLI::App& command, DatabaseOptions& options);
void add_jobs(CLI::App& command, DatabaseOptions& options);
int jobs_of(const DatabaseOptions& options);
Objective objective_of(const DatabaseOptions& options);
void add_lookup_options(CLI::App& command, LookupOptions& options);

// The database's records for this chip and objective. UserError when there are none: those of another chip, objective
// or simulator version are never used.
TilingIndex load_index(const DatabaseOptions& options, const Hardware& hardware);

// Writes a file as a whole or not at all; UserError naming it when it cannot be written.
void write_text(const std::string& path, const std::string& text);

// "63.4 %".
std::string share_text(double part, double whole);

// One function per sub-command.
void add_db_build(CLI::App& db, int& result);
void add_db_lookup(CLI::App& db, int& result);
void add_db_check(CLI::App& db);
void add_db_verify(CLI::App& db, int& result);
void add_db_plot(CLI::App& db);
void add_db_manage(CLI::App& db, int& result);  // merge, diff, export, prune, stats

}  // namespace tilewright
