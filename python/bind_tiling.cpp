// Tilings of one operator: points, their measured costs, and a search that is driven from Python.
#include <fmt/ranges.h>

#include "planner/passes/pass.h"
#include "planner/search/tiling/predicted_tiling.h"
#include "planner/search/tiling/tiling_network.h"
#include "python/bindings.h"
#include "python/tiling_tuner.h"

namespace tilewright {
namespace {

namespace py = pybind11;

void bind_point(py::module_& core) {
  py::class_<TilingPoint>(
      core, "TilingPoint",
      "How an operator is cut over the cores and how each core tiles its part, in elements; str(point) and "
      "TilingPoint(text) agree.")
      .def(py::init([](const std::string& text) { return parse_tiling_point(text, "point"); }), py::arg("text"))
      .def_readwrite("parts_batch", &TilingPoint::parts_batch,
                     "Parts over the cores: of a matmul's batch; of a convolution's images.")
      .def_readwrite("parts_m", &TilingPoint::parts_m, "Parts over the cores: of the rows; of a convolution's filters.")
      .def_readwrite("parts_n", &TilingPoint::parts_n,
                     "Parts over the cores: of the columns; of a convolution's output rows.")
      .def_readwrite("partition_m", &TilingPoint::partition_m, "Rows that a core holds at a time.")
      .def_readwrite("partition_n", &TilingPoint::partition_n, "Columns that a core holds at a time.")
      .def_readwrite("partition_k", &TilingPoint::partition_k, "Summands that a core holds at a time.")
      .def_readwrite("tile_m", &TilingPoint::tile_m, "Rows of one matmul instruction.")
      .def_readwrite("tile_n", &TilingPoint::tile_n, "Columns of one matmul instruction.")
      .def_readwrite("outer_rowmajor", &TilingPoint::outer_rowmajor, "Order of the partitions: columns innermost.")
      .def_readwrite("inner_rowmajor", &TilingPoint::inner_rowmajor, "Order of the tiles: columns innermost.")
      .def_readwrite("a_stationary", &TilingPoint::a_stationary,
                     "Whether A, else B, stays in its buffer between partitions.")
      .def("copy", [](const TilingPoint& point) { return point; })
      .def("__str__", [](const TilingPoint& point) { return to_string(point); })
      .def("__repr__", [](const TilingPoint& point) { return fmt::format("TilingPoint('{}')", to_string(point)); })
      .def("__hash__", [](const TilingPoint& point) { return py::hash(py::str(to_string(point))); })
      .def("__eq__", [](const TilingPoint& a, const TilingPoint& b) { return a == b; });
}

void bind_cost(py::module_& core) {
  py::class_<Cost>(core, "Cost", "What one measurement came to.")
      .def_readonly("cycles", &Cost::cycles, "Core clocks, from launch to the last completion.")
      .def_readonly("energy_pj", &Cost::energy_pj, "Picojoules, dynamic and static.")
      .def_readonly("multiply_adds", &Cost::macs, "As executed.")
      .def_readonly("dram_read_bytes", &Cost::dram_read, "Bytes of read bursts.")
      .def_readonly("dram_written_bytes", &Cost::dram_written, "Bytes of write bursts.")
      .def_readonly("utilisation", &Cost::utilisation, "Share of what all matmul units of the chip could do.")
      .def_readonly("program_hash", &Cost::program_hash, "Of the program that was measured.")
      .def("value",
           [](const Cost& cost, const std::string& name) { return value_of(cost, parse_objective(name, "objective")); })
      .def("__eq__", [](const Cost& a, const Cost& b) { return a == b; })
      .def("__repr__", [](const Cost& cost) {
        return fmt::format("Cost(cycles={}, energy_pj={}, utilisation={:.3f})", cost.cycles, cost.energy_pj,
                           cost.utilisation);
      });
  py::class_<PointCost>(core, "PointCost")
      .def_readonly("cost", &PointCost::cost)
      .def_readonly("refusal", &PointCost::refusal);
  py::class_<MeasuredPoint>(core, "MeasuredPoint")
      .def(py::init([](const TilingPoint& point, const std::optional<Cost>& cost, const std::string& refusal) {
             return MeasuredPoint{point, {cost, refusal}};
           }),
           py::arg("point"), py::arg("cost"), py::arg("refusal"))
      .def_readonly("point", &MeasuredPoint::point)
      .def_property_readonly("cost", [](const MeasuredPoint& measured) { return measured.cost.cost; })
      .def_property_readonly("refusal", [](const MeasuredPoint& measured) { return measured.cost.refusal; });
}

py::dict result_dict(const SearchResult& result) {
  py::dict removed;
  for (int i = 0; i < kTilingFilterCount; ++i)
    removed[py::str(std::string(name_of(static_cast<TilingFilter>(i))))] = result.removed[i];
  py::dict values;
  values["closed_form"] = result.closed_form.cost;
  values["planned"] = result.planned.cost;
  values["best"] = result.best.cost;
  values["point"] = result.best.point.point;
  values["space"] = result.space;
  values["removed"] = removed;
  values["measured"] = result.measured;
  values["refused"] = result.refused;
  values["left"] = result.left;
  values["proven"] = result.proven();
  return values;
}

std::unique_ptr<TilingTuner> tuner_of(const Hardware& hardware, const std::string& shape, const std::string& objective,
                                      std::int64_t budget, bool exhaustive, int jobs) {
  const SearchOptions options{
      .objective = parse_objective(objective, "objective"), .exhaustive = exhaustive, .budget = budget};
  TilingOperator op = tiling_operator(parse_operator_shape(shape, "shape"));
  return std::make_unique<TilingTuner>(hardware, std::move(op), options, jobs > 0 ? jobs : default_jobs());
}

// A contraction of a network.
std::unique_ptr<TilingTuner> tuner_of_task(const Hardware& hardware, const TilingTask& task,
                                           const std::string& objective, std::int64_t budget, bool exhaustive,
                                           int jobs) {
  const SearchOptions options{
      .objective = parse_objective(objective, "objective"), .exhaustive = exhaustive, .budget = budget};
  return std::make_unique<TilingTuner>(hardware, task.op, options, jobs > 0 ? jobs : default_jobs());
}

std::vector<std::string> uses_of(const TilingTask& task, const Plan& plan) {
  std::vector<std::string> names;
  for (const OperatorId id : task.uses) names.push_back(plan.graph.op(id).name);
  return names;
}

// The network planned again with what was found; a contraction without a search is tiled as the planner does by itself.
std::shared_ptr<Plan> plan_with_found(const Plan& plan, const std::vector<TilingTask>& tasks,
                                      const std::vector<TilingTuner*>& searches) {
  std::vector<TriedPoint> tried;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    tried.push_back(searches.at(i) ? searches[i]->result().best.point : predicted_tiling(plan.hardware, tasks[i].op));
  return std::make_shared<Plan>(make_plan(plan.graph, plan.hardware, with_points(plan, tasks, tried)));
}

void bind_network(py::module_& core) {
  py::class_<TilingTask>(core, "TilingTask")
      .def_property_readonly("key", [](const TilingTask& task) { return task.op.key; })
      .def("uses", &uses_of, py::arg("plan"));
  core.def("tiling_tasks", &tiling_tasks, py::arg("plan"));
  core.def("plan_with_found", &plan_with_found, py::arg("plan"), py::arg("tasks"), py::arg("searches"), Unlocked());
}

std::vector<std::pair<double, std::int64_t>> bounds_and_numbers(const TilingTuner& tuner, std::int64_t most) {
  std::vector<std::pair<double, std::int64_t>> found;
  for (const TilingCandidate& candidate : tuner.candidates(most)) found.emplace_back(candidate.bound, candidate.number);
  return found;
}

TilingPoint point_numbered(const TilingTuner& tuner, std::int64_t number) {
  if (number < 0 || number >= tuner.space().size()) throw py::index_error("point of the tiling space");
  return tuner.space().point(number);
}

}  // namespace

void bind_tiling(py::module_& core) {
  bind_point(core);
  bind_cost(core);
  bind_network(core);
  py::class_<TilingTuner>(core, "TilingTuner")
      .def(py::init(&tuner_of), py::arg("hardware"), py::arg("shape"), py::arg("objective"), py::arg("budget"),
           py::arg("exhaustive"), py::arg("jobs"), Unlocked())
      .def(py::init(&tuner_of_task), py::arg("hardware"), py::arg("task"), py::arg("objective"), py::arg("budget"),
           py::arg("exhaustive"), py::arg("jobs"), Unlocked())
      .def("ask", &TilingTuner::ask, Unlocked())
      .def("tell", &TilingTuner::tell, py::arg("measured"), Unlocked())
      .def("measure", &TilingTuner::measure, py::arg("points"), Unlocked())
      .def("result", [](TilingTuner& tuner) { return result_dict(tuner.result()); })
      .def_property_readonly("key", &TilingTuner::key)
      .def_property_readonly("planned", [](const TilingTuner& tuner) { return tuner.start().planned; })
      .def_property_readonly("closed_form", [](const TilingTuner& tuner) { return tuner.start().formulas; })
      .def("__len__", [](const TilingTuner& tuner) { return tuner.space().size(); })
      .def("point", &point_numbered, py::arg("number"))
      .def("refusal", &TilingTuner::refusal, py::arg("number"))
      .def("bound", &TilingTuner::bound, py::arg("point"))
      .def("predicted_cycles", &TilingTuner::predicted_cycles, py::arg("point"))
      .def("candidates", &bounds_and_numbers, py::arg("most"), Unlocked())
      .def("nearest", &TilingTuner::nearest, py::arg("point"));
  core.def(
      "operator_shape",
      [](const std::string& kind, const std::vector<std::int64_t>& sizes, const std::string& type) {
        return to_string(parse_operator_shape(fmt::format("{} {} {}", kind, fmt::join(sizes, "_"), type), "shape"));
      },
      py::arg("kind"), py::arg("sizes"), py::arg("type"));
  core.def("default_budget", [] { return SearchOptions{}.budget; });
}

}  // namespace tilewright
