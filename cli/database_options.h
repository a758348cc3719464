// A tiling database on the command line: which one, of which chip, for which objective.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "planner/search/database/tiling_database.h"
#include "planner/search/database/tiling_lookup.h"

namespace tilewright {

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
std::unique_ptr<TilingIndex> load_index(const DatabaseOptions& options, const Hardware& hardware);

}  // namespace tilewright
