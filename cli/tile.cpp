// tilewright tile HARDWARE --m --n --k: how the closed formulas tile one operator, why, and what that costs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/simulate.h"
#include "cli/workload_options.h"
#include "planner/graph/operator_shape.h"
#include "planner/passes/pass.h"
#include "planner/report/plan_text.h"
#include "planner/report/text.h"
#include "sim/base/error.h"
#include "sim/hw/resolve.h"

namespace tilewright {
namespace {

struct TileCommand {
  std::string hardware, type = "bf16";
  std::int64_t m = 0, n = 0, k = 0;
  std::vector<std::int64_t> conv;  // channels, height, width, filters, kernel height, kernel width
  std::int64_t stride = 1, pad = 0, dilation = 1, groups = 1, batch = 1;
};

OperatorShape shape_of(const TileCommand& c) {
  OperatorShape shape{.type = matmul_type(c.type)};
  if (c.conv.empty()) {
    if (c.m == 0 || c.n == 0 || c.k == 0) throw UserError("tile", "needs either all of --m, --n and --k, or --conv");
    shape.dims = {1, c.m, c.n, c.k};
    return shape;
  }
  shape.kind = OperatorShape::Kind::kConv;
  shape.dims = {c.batch, c.conv[1], c.conv[2], c.conv[0], c.conv[3], c.conv[4], c.conv[5], c.stride};
  shape.pad = c.pad;
  shape.dilation = c.dilation;
  shape.groups = c.groups;
  check(shape, "--conv");
  return shape;
}

void run(const TileCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  const Plan plan = make_plan(graph_of(shape_of(command)), hardware, {.type = matmul_type(command.type)});
  fmt::print("{} on {}\n\n", plan.graph.name, hardware.name);
  for (OperatorId id : plan.order) fmt::print("{}", explain_tilings(plan, id));
  const Simulated simulated = simulate_plan(plan, plan.graph.name, {});
  fmt::print("\nMeasured, by simulating its program:\n\n{}", to_text(simulated.report));
}

}  // namespace

void add_tile_command(CLI::App& app) {
  auto c = std::make_shared<TileCommand>();
  CLI::App* sub = app.add_subcommand("tile", "Tile one operator by the closed formulas, explain it and measure it");
  sub->add_option("HARDWARE", c->hardware, "hardware file")->required();
  CLI::Option* conv =
      sub->add_option("--conv", c->conv, "a convolution: CHANNELS,HEIGHT,WIDTH,FILTERS,KERNEL_H,KERNEL_W")
          ->delimiter(',')
          ->expected(6)
          ->check(at_least(1));
  sub->add_option("--m", c->m, "rows of A and of the result")->check(at_least(1))->excludes(conv);
  sub->add_option("--n", c->n, "columns of B and of the result")->check(at_least(1))->excludes(conv);
  sub->add_option("--k", c->k, "columns of A, rows of B")->check(at_least(1))->excludes(conv);
  add_type_option(*sub, "--dtype,--type", c->type);
  sub->add_option("--stride", c->stride, "of the convolution")->check(at_least(1))->needs(conv);
  sub->add_option("--pad", c->pad, "of the convolution, on every side")->check(at_least(0))->needs(conv);
  sub->add_option("--dilation", c->dilation, "of the convolution")->check(at_least(1))->needs(conv);
  sub->add_option("--groups", c->groups, "of the convolution")->check(at_least(1))->needs(conv);
  sub->add_option("--batch", c->batch, "images of the convolution")->check(at_least(1))->needs(conv);
  sub->callback([c] { run(*c); });
}

}  // namespace tilewright
