// The search for the order of a network's operators: `tilewright schedule`.
#include <fmt/ranges.h>

#include "planner/graph/data_type_choices.h"
#include "planner/report/run/schedule_text.h"
#include "planner/search/order/order_file.h"
#include "python/bindings.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

namespace py = pybind11;

// A network as planned, and the order that was found for it.
struct FoundSchedule {
  SchedulePart whole;
  ScheduleOptions options;
  Schedule schedule;

  std::vector<std::string> order() const { return labels_of(whole, schedule.linked.order); }
  std::string yaml() const {
    return to_yaml(OrderFile{whole.tiled.graph.name, order()},
                   fmt::format("{} cycles on {}; {} as imported", schedule.linked.time.cycles,
                               whole.tiled.hardware.name, schedule.imported.time.cycles));
  }
};

std::unique_ptr<FoundSchedule> schedule_of(const Graph& graph, const Hardware& hardware, const std::string& type,
                                           const std::string& strategy, ScheduleOptions options) {
  const auto parsed = parse_order_strategy(strategy);
  if (!parsed) throw UserError("strategy", fmt::format("got '{}', expected all|random|beam|mcts", strategy));
  options.strategy = *parsed;
  const auto element = parse_data_type(type);
  if (!element)
    throw UserError("type", fmt::format("got '{}', expected {}", type, fmt::join(network_type_names(), "|")));
  auto found =
      std::make_unique<FoundSchedule>(FoundSchedule{whole_part(graph, hardware, {.type = *element}), options, {}});
  found->schedule = find_schedule(found->whole, options);
  return found;
}

}  // namespace

void bind_schedule(py::module_& core) {
  py::class_<ScheduleOptions>(core, "ScheduleOptions")
      .def(py::init<>())
      .def_property(
          "window", [](const ScheduleOptions& o) { return o.parts.window; },
          [](ScheduleOptions& o, int value) { o.parts.window = value; })
      .def_property(
          "min_nodes", [](const ScheduleOptions& o) { return o.parts.min_nodes; },
          [](ScheduleOptions& o, int value) { o.parts.min_nodes = value; })
      .def_property(
          "merged_orders", [](const ScheduleOptions& o) { return o.parts.most_orders; },
          [](ScheduleOptions& o, std::int64_t value) { o.parts.most_orders = value; })
      .def_property(
          "part_nodes", [](const ScheduleOptions& o) { return o.parts.most_nodes; },
          [](ScheduleOptions& o, int value) { o.parts.most_nodes = value; })
      .def_readwrite("budget", &ScheduleOptions::budget)
      .def_readwrite("predictions", &ScheduleOptions::predictions)
      .def_readwrite("linked", &ScheduleOptions::linked)
      .def_readwrite("seed", &ScheduleOptions::seed)
      .def_readwrite("jobs", &ScheduleOptions::jobs);
  py::class_<FoundSchedule>(core, "FoundSchedule")
      .def_property_readonly("order", &FoundSchedule::order)
      .def_property_readonly("yaml", &FoundSchedule::yaml)
      .def_property_readonly("cycles", [](const FoundSchedule& found) { return found.schedule.linked.time.cycles; })
      .def_property_readonly("imported_cycles",
                             [](const FoundSchedule& found) { return found.schedule.imported.time.cycles; })
      .def_property_readonly("measurements", [](const FoundSchedule& found) { return found.schedule.measurements(); })
      .def_property_readonly(
          "text", [](const FoundSchedule& found) { return schedule_text(found.whole, found.schedule, found.options); })
      .def_property_readonly("csv",
                             [](const FoundSchedule& found) { return schedule_csv(found.whole, found.schedule); })
      .def_property_readonly("dot", [](const FoundSchedule& found) { return to_dot(found.whole, found.schedule); });
  core.def("find_schedule", &schedule_of, py::arg("graph"), py::arg("hardware"), py::arg("type"), py::arg("strategy"),
           py::arg("options"), Unlocked());
}

}  // namespace tilewright
