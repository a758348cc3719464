#include "cli/database_options.h"

#include <fmt/format.h>

#include "cli/shipped.h"
#include "planner/measure/objective_check.h"
#include "planner/measure/worker_pool.h"
#include "sim/base/error.h"

namespace tilewright {

void add_database(CLI::App& command, DatabaseOptions& options) {
  command.add_option("DATABASE", options.database, "tiling database")->required();
}

void add_hardware(CLI::App& command, DatabaseOptions& options) {
  add_file_argument(command, Shipped::kChip, options.hardware)->required();
}

void add_objective(CLI::App& command, DatabaseOptions& options) {
  command.add_option("--objective", options.objective, "what to minimise: cycles, energy or edp")
      ->check(CLI::IsMember({"cycles", "energy", "edp"}))
      ->type_name("WHAT");
}

void add_jobs(CLI::App& command, DatabaseOptions& options) {
  command.add_option("--jobs", options.jobs, "worker processes; default: one per processor")
      ->check(CLI::Range(1, 1024));
}

int jobs_of(const DatabaseOptions& options) { return options.jobs > 0 ? options.jobs : default_jobs(); }

Objective objective_of(const DatabaseOptions& options) { return parse_objective(options.objective, "--objective"); }

void add_lookup_options(CLI::App& command, LookupOptions& options) {
  command
      .add_option("--max-padding", options.max_padding, "maximum padded work of a match, as a share of the shape's own")
      ->check(CLI::Range(0.0, 10.0));
  command
      .add_option("--region", options.region_tolerance, "deviation from proportionality allowed in the linear region")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--extrapolation", options.extrapolation, "deviation assumed per doubling beyond the first")
      ->check(CLI::Range(0.0, 1.0));
  command.add_flag("!--no-predict", options.predict,
                   "leave predictions to the planner's model of time: faster than the queue model, and farther off");
}

std::unique_ptr<TilingIndex> load_index(const DatabaseOptions& options, const Hardware& hardware) {
  check_objective(hardware, objective_of(options));
  const TilingContext context = context_of(hardware, objective_of(options));
  auto index = std::make_unique<TilingIndex>(
      std::make_shared<const TilingDatabase>(options.database, TilingDatabase::Mode::kRead), context);
  if (index->empty())
    throw UserError(options.database,
                    fmt::format("has no record of {} (fingerprint {}) for {} by simulator {}; 'db stats' lists whose "
                                "records it has",
                                options.hardware, context.hardware, options.objective, context.simulator));
  return index;
}

}  // namespace tilewright
