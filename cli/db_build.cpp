// tilewright db build HARDWARE -o tiles.db: measures initial and boundary shapes; goes on where it was stopped.
#include <fmt/format.h>

#include <memory>

#include "cli/db.h"
#include "cli/progress.h"
#include "cli/workload_options.h"
#include "planner/search/database_build.h"
#include "sim/base/error.h"
#include "sim/hw/resolve.h"

namespace tilewright {
namespace {

struct BuildCommand : DatabaseOptions {
  ShapeSource source;
  BuildOptions build;
  std::string slice;
};

// "2/4" -> the second of four.
std::vector<OperatorShape> sliced(const std::vector<OperatorShape>& shapes, const std::string& slice) {
  if (slice.empty()) return shapes;
  std::size_t i = 0, n = 0;
  char rest = 0;
  const bool numbers = std::sscanf(slice.c_str(), "%zu/%zu%c", &i, &n, &rest) == 2;
  if (!numbers || i < 1 || i > n) throw UserError("--slice", fmt::format("got '{}', expected e.g. 2/4", slice));
  return slice_of(shapes, i - 1, n);
}

void run(const BuildCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  const std::vector<OperatorShape> shapes = sliced(shapes_of(command.source), command.slice);
  TilingDatabase database(command.database, TilingDatabase::Mode::kWrite);
  Progress progress("db build", "shapes", std::ssize(shapes));
  const BuildSummary summary =
      build_tilings(database, hardware, shapes, objective_of(command), command.build, jobs_of(command),
                    [&](std::int64_t done, std::int64_t) { progress.update(done); });
  fmt::print(
      "{}: {} initial shapes entered of {} ({} below the threshold, {} that the chip cannot tile), {} boundary "
      "shapes\n",
      command.database, summary.entered, summary.shapes, summary.below_threshold, summary.not_tiled, summary.boundary);
  fmt::print("{} measurements and searches done, {} found done\n", summary.measured, summary.reused);
  for (const std::string& failed : summary.failed) fmt::print("failed: {}\n", failed);
  if (!summary.failed.empty()) throw InternalError(fmt::format("{} queries ended a worker", summary.failed.size()));
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
  sub->add_option("--threshold", c->build.threshold, "least share of the roofline's speed of an initial shape")
      ->check(CLI::Range(0.0, 1.0));
  sub->add_option("--tolerance", c->build.tolerance, "how far cost and size ratio of a linear step may differ")
      ->check(CLI::Range(0.0, 1.0));
  sub->add_option("--budget", c->build.budget, "measurements of one shape's search")->check(at_least(0));
  sub->add_option("--max-visits", c->build.max_visits, "shapes looked at per initial shape")
      ->check(CLI::Range(1, 100000));
  sub->add_option("--max-boundary", c->build.max_boundary, "boundary shapes kept per initial shape")
      ->check(CLI::Range(0, 100000));
  sub->add_option("--slice", c->slice, "build only the i-th of n shards of the list, e.g. 2/4")->type_name("I/N");
  sub->callback([c] { run(*c); });
}

}  // namespace tilewright
