// tilewright db: the tiling database.
#include "cli/db/db.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "cli/tell.h"
#include "cli/workload_options.h"
#include "planner/import/import.h"
#include "planner/ir/element_types.h"
#include "planner/measure/worker_pool.h"
#include "planner/search/database/database_build.h"
#include "planner/search/tiling/plan_network.h"
#include "sim/base/error.h"
#include "sim/base/printable.h"

namespace tilewright {

void add_shape_source(CLI::App& command, ShapeSource& source) {
  CLI::Option* file = command.add_option("--shapes", source.file, "file of shapes, e.g. 'matmul 1_384_1024_1024 bf16'");
  CLI::Option* workload =
      add_file_option(command, Shipped::kWorkload, "--workload", source.workload,
                      "every matmul and convolution of it; of build also what they become when fused and merged");
  workload->excludes(file);
  add_dim_option(command, source.dimensions);
  command.add_option("--random", source.random, "draw this many shapes")
      ->check(at_least(1))
      ->excludes(file)
      ->excludes(workload);
  command.add_option("--seed", source.seed, "of the random shapes")->check(at_least(0));
  command.add_option("--min-macs", source.range.min_macs, "minimum multiply-adds of a random shape")
      ->check(at_least(1));
  command.add_option("--max-macs", source.range.max_macs, "maximum multiply-adds of a random shape")
      ->check(at_least(1));
  add_type_option(command, "--type", source.type);
}

namespace {

// Products that no shape can name are no part of a database: said, and refused when nothing else is there.
void say_left_out(const std::string& path, const std::vector<std::string>& names, std::size_t others) {
  if (names.empty()) return;
  const std::string text = fmt::format("{} product{} with packed weights, which a database cannot name, '{}' the first",
                                       names.size(), names.size() == 1 ? "" : "s", names.front());
  if (others == 0) throw UserError(path, fmt::format("has nothing but {}", text));
  tell("{}\n", printable(fmt::format("{}: left out: {}", path, text)));
}

Graph graph_of(const ShapeSource& source) {
  return import_workload(source.workload,
                         {.type = matmul_type(source.type), .dimensions = dimensions_of(source.dimensions)});
}

std::vector<OperatorShape> shapes_of_workload(const ShapeSource& source) {
  const Graph graph = graph_of(source);
  const DataType type = matmul_type(source.type);
  std::vector<OperatorShape> shapes;
  std::vector<std::string> nameless;
  for (const OperatorId id : graph.topological_order()) {
    if (auto shape = shape_of(graph, id, type))
      shapes.push_back(std::move(*shape));
    else if (is_contraction(graph.op(id).kind))
      nameless.push_back(graph.op(id).name);
  }
  say_left_out(source.workload, nameless, shapes.size());
  return shapes;
}

}  // namespace

std::vector<OperatorShape> shapes_of(const ShapeSource& source) {
  if (!source.file.empty()) return read_shapes(source.file);
  if (!source.workload.empty()) return shapes_of_workload(source);
  if (source.random == 0) throw UserError("", "needs --shapes, --workload or --random");
  ShapeRange range = source.range;
  range.type = matmul_type(source.type);
  return random_shapes(static_cast<std::size_t>(source.random), static_cast<std::uint64_t>(source.seed), range);
}

namespace {

// A network that is not planned as a whole has its operators even so.
std::optional<Plan> planned(const ShapeSource& source, const Hardware& hardware) {
  const DataType type = matmul_type(source.type);
  try {
    return plan_network(graph_of(source), hardware, {.type = type});
  } catch (const UserError& refused) {
    tell("{}\n", printable(fmt::format("{}: its operators as they are alone, since '{}' cannot run it: {}",
                                       source.workload, hardware.name, refused.what())));
    return {};
  }
}

}  // namespace

std::vector<OperatorShape> shapes_to_build(const ShapeSource& source, const Hardware& hardware) {
  std::vector<OperatorShape> shapes = shapes_of(source);
  const auto plan = source.workload.empty() ? std::nullopt : planned(source, hardware);
  if (!plan) return shapes;
  for (const OperatorId id : plan->order) {
    const auto shape = shape_of(plan->graph, id, operand_type(*plan, plan->graph.op(id)));
    if (shape && std::ranges::find(shapes, *shape) == shapes.end()) shapes.push_back(*shape);
  }
  return shapes;
}

std::string share_text(double part, double whole) {
  return fmt::format("{:.1f} %", whole == 0 ? 0.0 : 100 * part / whole);
}

void add_db_command(CLI::App& app, int& result) {
  CLI::App* db = app.add_subcommand("db", "Build, query and check a database of measured tilings");
  db->require_subcommand(1);
  add_db_build(*db);
  add_db_lookup(*db, result);
  add_db_check(*db);
  add_db_verify(*db, result);
  add_db_plot(*db);
  add_db_exchange(*db);
  add_db_manage(*db, result);
}

}  // namespace tilewright
