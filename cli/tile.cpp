// tilewright tile HARDWARE --m --n --k: how the closed formulas tile one operator, why, and what that costs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/simulate.h"
#include "cli/workload_options.h"
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

TensorId add_tensor(Graph& graph, const char* name, Shape shape, TensorKind kind, DataType type) {
  return graph.add_tensor({.name = name, .shape = std::move(shape), .type = type, .kind = kind});
}

void add_with_output(Graph& graph, Operator op, DataType type) {
  const Shape shape = infer_shape(graph, op);
  op.output = add_tensor(graph, "result", shape, TensorKind::kOutput, type);
  graph.add_operator(std::move(op));
}

Graph gemm_graph(const TileCommand& c, DataType type) {
  Graph graph;
  graph.name = fmt::format("gemm {}x{}x{}", c.m, c.n, c.k);
  const TensorId a = add_tensor(graph, "a", {c.m, c.k}, TensorKind::kInput, type);
  const TensorId b = add_tensor(graph, "b", {c.k, c.n}, TensorKind::kConstant, type);
  add_with_output(graph, {.name = "gemm", .kind = OpKind::kMatMul, .inputs = {a, b}}, type);
  return graph;
}

Graph conv_graph(const TileCommand& c, DataType type) {
  if (c.conv[0] % c.groups != 0 || c.conv[3] % c.groups != 0)
    throw UserError("--groups",
                    fmt::format("{} does not divide the {} channels and {} filters", c.groups, c.conv[0], c.conv[3]));
  Graph graph;
  graph.name = fmt::format("convolution {}", fmt::join(c.conv, ","));
  const TensorId x = add_tensor(graph, "x", {c.batch, c.conv[0], c.conv[1], c.conv[2]}, TensorKind::kInput, type);
  const TensorId w =
      add_tensor(graph, "w", {c.conv[3], c.conv[0] / c.groups, c.conv[4], c.conv[5]}, TensorKind::kConstant, type);
  Operator op{.name = "convolution", .kind = OpKind::kConv, .inputs = {x, w}};
  op.attributes.strides = {c.stride, c.stride};
  op.attributes.dilations = {c.dilation, c.dilation};
  op.attributes.pads = {c.pad, c.pad, c.pad, c.pad};
  op.attributes.groups = c.groups;
  add_with_output(graph, std::move(op), type);
  return graph;
}

Graph graph_of(const TileCommand& command) {
  const DataType type = matmul_type(command.type);
  if (!command.conv.empty()) return conv_graph(command, type);
  if (command.m == 0 || command.n == 0 || command.k == 0)
    throw UserError("tile", "needs either all of --m, --n and --k, or --conv");
  return gemm_graph(command, type);
}

void run(const TileCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  const Plan plan = make_plan(graph_of(command), hardware, {.type = matmul_type(command.type)});
  fmt::print("{} in {} on {}\n\n", plan.graph.name, command.type, hardware.name);
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
