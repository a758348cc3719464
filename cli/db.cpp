// tilewright db: the tiling database.
#include "cli/db.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "cli/commands.h"
#include "cli/workload_options.h"
#include "planner/cost/worker_pool.h"
#include "planner/graph/import.h"
#include "planner/search/database/database_build.h"
#include "sim/base/error.h"

namespace tilewright {

void add_shape_source(CLI::App& command, ShapeSource& source) {
  CLI::Option* file = command.add_option("--shapes", source.file, "file of shapes, e.g. 'matmul 1_384_1024_1024 bf16'");
  CLI::Option* workload =
      command.add_option("--workload", source.workload, "every matmul and convolution of a workload");
  workload->excludes(file);
  command.add_option("--random", source.random, "draw this many shapes")
      ->check(at_least(1))
      ->excludes(file)
      ->excludes(workload);
  command.add_option("--seed", source.seed, "of the random shapes")->check(at_least(0));
  command.add_option("--min-macs", source.range.min_macs, "least multiply-adds of a random shape")->check(at_least(1));
  command.add_option("--max-macs", source.range.max_macs, "most multiply-adds of a random shape")->check(at_least(1));
  add_type_option(command, "--type", source.type);
}

namespace {

std::vector<OperatorShape> shapes_of_workload(const std::string& path, DataType type) {
  const Graph graph = import_workload(path, {.type = type});
  std::vector<OperatorShape> shapes;
  for (const OperatorId id : graph.topological_order())
    if (auto shape = shape_of(graph, id, type)) shapes.push_back(std::move(*shape));
  return shapes;
}

}  // namespace

std::vector<OperatorShape> shapes_of(const ShapeSource& source) {
  if (!source.file.empty()) return read_shapes(source.file);
  if (!source.workload.empty()) return shapes_of_workload(source.workload, matmul_type(source.type));
  if (source.random == 0) throw UserError("", "needs --shapes, --workload or --random");
  ShapeRange range = source.range;
  range.type = matmul_type(source.type);
  return random_shapes(static_cast<std::size_t>(source.random), static_cast<std::uint64_t>(source.seed), range);
}

void add_database(CLI::App& command, DatabaseOptions& options) {
  command.add_option("DATABASE", options.database, "tiling database")->required();
}

void add_hardware(CLI::App& command, DatabaseOptions& options) {
  command.add_option("HARDWARE", options.hardware, "hardware file")->required();
}

void add_objective(CLI::App& command, DatabaseOptions& options) {
  command.add_option("--objective", options.objective, "what is made small: cycles, energy or edp")
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
      .add_option("--max-padding", options.max_padding, "most padded work of a match, as a share of the shape's own")
      ->check(CLI::Range(0.0, 10.0));
  command.add_option("--region", options.region_tolerance, "departure from proportion allowed in the linear region")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--extrapolation", options.extrapolation, "departure feared per doubling beyond the first")
      ->check(CLI::Range(0.0, 1.0));
}

TilingIndex load_index(const DatabaseOptions& options, const Hardware& hardware) {
  const TilingDatabase database(options.database, TilingDatabase::Mode::kRead);
  const TilingContext context = context_of(hardware, objective_of(options));
  TilingIndex index(database.records(), context);
  if (index.records().empty())
    throw UserError(options.database,
                    fmt::format("has no record of {} (fingerprint {}) for {} by simulator {}; 'db stats' lists whose "
                                "records it has",
                                options.hardware, context.hardware, options.objective, context.simulator));
  return index;
}

void write_text(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".part";
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) throw UserError(path, "cannot be written");
}

std::string share_text(double part, double whole) {
  return fmt::format("{:.1f} %", whole == 0 ? 0.0 : 100 * part / whole);
}

void add_db_command(CLI::App& app, int& result) {
  CLI::App* db = app.add_subcommand("db", "Build, ask and check a database of measured tilings");
  db->require_subcommand(1);
  add_db_build(*db, result);
  add_db_lookup(*db, result);
  add_db_check(*db);
  add_db_verify(*db, result);
  add_db_plot(*db);
  add_db_manage(*db, result);
}

}  // namespace tilewright
