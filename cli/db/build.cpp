// tilewright db build HARDWARE -o tiles.db: measures initial and boundary shapes; goes on where it was stopped.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "cli/db/db.h"
#include "cli/progress.h"
#include "cli/tell.h"
#include "cli/workload_options.h"
#include "planner/measure/objective_check.h"
#include "planner/search/database/database_build.h"
#include "sim/base/error.h"
#include "sim/base/printable.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

struct BuildCommand : DatabaseOptions, EngineOptions {
  ShapeSource source;
  std::string from;  // database that seeds the searches
  BuildOptions build;
};

// The options with what the other database knows of these shapes.
BuildOptions seeded(const BuildCommand& command, const std::vector<OperatorShape>& shapes) {
  BuildOptions options = command.build;
  if (command.from.empty()) return options;
  std::error_code missing;
  if (std::filesystem::equivalent(command.from, command.database, missing))
    throw UserError("--from", fmt::format("'{}' is the database that is built, expected another one", command.from));
  options.seeds = seeds_of({command.from, TilingDatabase::Mode::kRead}, shapes, objective_of(command));
  if (options.seeds.empty())
    tell("{}: has no record of any of the shapes: the searches begin without\n", printable(command.from));
  return options;
}

void print_seeded(const BuildCommand& command, const std::vector<OperatorShape>& shapes, const TilingSeeds& seeds) {
  const auto seeded = std::count_if(shapes.begin(), shapes.end(), [&](const auto& s) { return !seeds.of(s).empty(); });
  fmt::print("{} of {} searches began with tilings of {}\n", seeded, shapes.size(), command.from);
}

void build_here(const BuildCommand& command, const Hardware& hardware) {
  const std::vector<OperatorShape> shapes =
      slice_of(shapes_to_build(command.source, hardware), parse_slice(command.slice));
  const BuildOptions options = seeded(command, shapes);
  TilingDatabase database(command.database, TilingDatabase::Mode::kWrite);
  Progress progress("db build", "shapes", std::ssize(shapes));
  const BuildSummary summary =
      build_tilings(database, hardware, shapes, objective_of(command), options, jobs_of(command),
                    [&](std::int64_t done, std::int64_t) { progress.update(done); });
  fmt::print(
      "{}: {} initial shapes entered of {} ({} below the threshold, {} that the chip cannot tile), {} boundary "
      "shapes\n",
      command.database, summary.entered, summary.shapes, summary.below_threshold, summary.not_tiled, summary.boundary);
  fmt::print("{} measurements and searches done, {} found done\n", summary.measured, summary.reused);
  if (!options.seeds.empty()) print_seeded(command, shapes, options.seeds);
  for (const std::string& failed : summary.failed) fmt::print("failed: {}\n", failed);
  if (!summary.failed.empty()) throw InternalError(fmt::format("{} queries ended a worker", summary.failed.size()));
}

// What the user gave, as words again, for the workers of an array.
std::vector<std::string> given_options(const CLI::App& sub) {
  static const std::set<std::string> kOfTheDriver{"--output", "--jobs",   "--slice",
                                                  "--engine", "--slices", "--slurm-option"};
  std::vector<std::string> words;
  for (const CLI::Option* option : sub.get_options()) {
    if (option->count() == 0 || kOfTheDriver.contains(option->get_name())) continue;
    if (!option->get_positional()) words.push_back(option->get_name());
    for (const std::string& value : option->results()) words.push_back(value);
  }
  return words;
}

void run(const BuildCommand& command, const CLI::App& sub) {
  check_engine(command);
  const Hardware hardware = load_hardware(command.hardware);
  check_objective(hardware, objective_of(command));
  if (!command.is_slurm()) {
    resumable([&] { build_here(command, hardware); });
    return;
  }
  const std::vector<OperatorShape> shapes = shapes_to_build(command.source, hardware);
  const DatabaseArray array{.options = given_options(sub),
                            .database = command.database,
                            .hardware = hardware,
                            .shapes = shapes,
                            .objective = objective_of(command),
                            .build = seeded(command, shapes),
                            .jobs = jobs_of(command)};
  resumable([&] { build_on_slurm(array, command); });
}

}  // namespace

void add_db_build(CLI::App& db) {
  auto c = std::make_shared<BuildCommand>();
  CLI::App* sub = db.add_subcommand("build", "Measure shapes and their boundary shapes; goes on where it was stopped");
  add_hardware(*sub, *c);
  sub->add_option("-o,--output", c->database, "the database, made or continued")->required();
  add_shape_source(*sub, c->source);
  add_objective(*sub, *c);
  add_jobs(*sub, *c);
  sub->add_option("--threshold", c->build.threshold, "minimum share of the roofline's speed of an initial shape")
      ->check(CLI::Range(0.0, 1.0));
  sub->add_option("--tolerance", c->build.tolerance, "how far cost and size ratio of a linear step may differ")
      ->check(CLI::Range(0.0, 1.0));
  sub->add_option("--budget", c->build.budget, "measurements of one shape's search")->check(at_least(0));
  sub->add_option("--from", c->from, "another database, of any chip: its tilings of a shape are measured first")
      ->type_name("DATABASE");
  sub->add_option("--max-visits", c->build.max_visits, "shapes visited per initial shape")
      ->check(CLI::Range(1, 100000));
  sub->add_option("--max-boundary", c->build.max_boundary, "boundary shapes kept per initial shape")
      ->check(CLI::Range(0, 100000));
  add_engine_options(*sub, *c, "shape");
  sub->callback([c, sub] { run(*c, *sub); });
}

}  // namespace tilewright
