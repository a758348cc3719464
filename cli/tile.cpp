// tilewright tile HARDWARE --m --n --k: how one operator is tiled, why, and what that costs: by the closed formulas, by
// the planner, which refines them by predicted time, and with --search by measuring.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/shipped.h"
#include "cli/simulate.h"
#include "cli/workload_options.h"
#include "planner/passes/pass.h"
#include "planner/report/run/plan_text.h"
#include "planner/report/run/text.h"
#include "planner/search/tiling/plan_network.h"
#include "planner/search/tiling/point_prediction.h"
#include "planner/search/tiling/predicted_tiling.h"
#include "planner/search/tiling/tiling_search.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

struct TileCommand : ShapeOptions {
  std::string hardware;
  std::int64_t search = 0;  // measurements
  int jobs = default_jobs();
};

struct MeasuredWays {
  Cost formulas, planner;
  std::optional<Cost> best;  // of a search
  std::string best_tiling;
};

MeasuredWays measure_ways(const TileCommand& command, const Hardware& hardware) {
  const TilingOperator op = tiling_operator(shape_of(command, "tile"));
  TilingMeasurer measurer(hardware, command.search > 0 ? command.jobs : 1);
  if (command.search == 0) {
    const auto costs = measure_all(measurer.of(op), {{.refine = false}, predicted_tiling(hardware, op)});
    return {costs[0].cost.value(), costs[1].cost.value(), {}, ""};
  }
  Progress progress("tilings", "measurements", command.search);
  const SearchResult found = search_tiling(measurer.of(op), hardware, op, {.budget = command.search},
                                           [&](std::int64_t done, std::int64_t most) { progress.update(done, most); });
  return {found.closed_form.cost, found.planned.cost, found.best.cost, to_string(found.best.point)};
}

void print_ways(const MeasuredWays& ways) {
  const Cost& least = ways.best ? *ways.best : std::min(ways.formulas, ways.planner, [](const Cost& a, const Cost& b) {
    return a.cycles < b.cycles;
  });
  fmt::print(
      "\nSide by side, each measured by simulating its program:\n\n  {:<12} {:>14} {:>10} {:>12} {:>14} {:>14}\n", "",
      "cycles", "util.", "DRAM read", "DRAM written", "above least");
  const auto row = [&](const char* name, const Cost& cost) {
    fmt::print("  {:<12} {:>14} {:>8.1f} % {:>12} {:>14} {:>12.1f} %\n", name, count_text(cost.cycles),
               100 * cost.utilisation, bytes_text(cost.dram_read), bytes_text(cost.dram_written),
               100 * (static_cast<double>(cost.cycles) / static_cast<double>(least.cycles) - 1));
  };
  row("formulas", ways.formulas);
  row("planner", ways.planner);
  if (!ways.best) return;
  row("search", *ways.best);
  fmt::print("\n  search found {}\n", ways.best_tiling);
}

std::string explained(const Plan& plan) {
  std::string text;
  for (OperatorId id : plan.order) text += explain_tilings(plan, id);
  return text;
}

void run(const TileCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  const Graph graph = graph_of(shape_of(command, "tile"));
  const DataType type = matmul_type(command.type);
  const Plan formulas = make_plan(graph, hardware, {.type = type, .refine = false});
  const Plan plan = plan_network(graph, hardware, {.type = type});
  fmt::print("{} on {}\n\nBy the closed formulas, made legal:\n\n{}", graph.name, hardware.name, explained(formulas));
  fmt::print("\nBy the planner, which begins there, refines by predicted time{}:\n\n{}",
             predicts_on(hardware) ? " and lets the queue model choose" : "", explained(plan));
  print_ways(measure_ways(command, hardware));
  const Simulated simulated = simulate_plan(plan, graph.name, {});
  fmt::print("\nThe planner's, in detail:\n\n{}", to_text(simulated.report));
}

}  // namespace

void add_tile_command(CLI::App& app) {
  auto c = std::make_shared<TileCommand>();
  CLI::App* sub =
      app.add_subcommand("tile", "Tile one operator by closed formulas and by the planner, and measure both");
  add_file_argument(*sub, Shipped::kChip, c->hardware)->required();
  add_shape_options(*sub, *c);
  sub->add_option("--search", c->search, "measure so many other tilings too, and say how far the two are from the best")
      ->check(CLI::Range(0, 1'000'000));
  sub->add_option("--jobs", c->jobs, "worker processes that measure, with --search")
      ->check(at_least(1))
      ->default_str("");
  sub->callback([c] { run(*c); });
}

}  // namespace tilewright
