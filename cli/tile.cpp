// tilewright tile HARDWARE --m --n --k: how the closed formulas tile one operator, why, and what that costs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "cli/simulate.h"
#include "cli/workload_options.h"
#include "planner/passes/pass.h"
#include "planner/report/run/plan_text.h"
#include "planner/report/run/text.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

struct TileCommand : ShapeOptions {
  std::string hardware;
};

void run(const TileCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  const Plan plan =
      make_plan(graph_of(shape_of(command, "tile")), hardware, {.type = matmul_type(command.type), .refine = false});
  fmt::print("{} on {}\n\n", plan.graph.name, hardware.name);
  for (OperatorId id : plan.order) fmt::print("{}", explain_tilings(plan, id));
  const Simulated simulated = simulate_plan(plan, plan.graph.name, {});
  fmt::print("\nMeasured, by simulating its program:\n\n{}", to_text(simulated.report));
}

}  // namespace

void add_tile_command(CLI::App& app) {
  auto c = std::make_shared<TileCommand>();
  CLI::App* sub = app.add_subcommand("tile", "Tile one operator by the closed formulas, explain it and measure it");
  add_file_argument(*sub, Shipped::kChip, c->hardware)->required();
  add_shape_options(*sub, *c);
  sub->callback([c] { run(*c); });
}

}  // namespace tilewright
