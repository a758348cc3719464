// From a graph and options to a plan: `tilewright plan`, with tilings searched or taken from a database.
#include "cli/database_options.h"
#include "cli/tilings.h"
#include "cli/workload_options.h"
#include "planner/report/run/plan_text.h"
#include "planner/search/tiling/tiling_network.h"
#include "python/bindings.h"
#include "sim/base/error.h"
#include "sim/base/text_list.h"

namespace tilewright {
namespace {

namespace py = pybind11;

// The words of a command line behind `tilewright plan`, read by its own parser: the same names, defaults, checks and
// messages.
WorkloadOptions parse_options(std::vector<std::string> words) {
  CLI::App app;
  WorkloadOptions options;
  add_workload_options(app, options);
  add_order_option(app, options);
  words.insert(words.end(), {"/", "/"});  // chip and workload are there already
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw UserError("", error.what());
  }
  return options;
}

// Where the tilings of a plan come from, besides the planner.
struct TilingSource {
  std::int64_t tune = 0;  // measurements per contraction
  std::string database, objective = "cycles", reach = "gain";
  int jobs = 0;
};

int jobs_of(const TilingSource& source) { return source.jobs > 0 ? source.jobs : default_jobs(); }

Plan with_database(const AskedPlan& asked, const Hardware& hardware, const TilingSource& source) {
  DatabaseOptions options;
  options.database = source.database, options.hardware = hardware.name, options.objective = source.objective;
  const auto index = load_index(options, hardware);
  const TilingReach reach = parse_tiling_reach(source.reach, "tilings_reach");
  return with_tilings(asked.graph, hardware, asked.options, *index, reach, jobs_of(source)).plan;
}

std::shared_ptr<Plan> plan_of(const Graph& graph, const Hardware& hardware, const WorkloadOptions& options,
                              const TilingSource& source) {
  const auto print_nothing = [](const std::string&) {};
  if (source.tune == 0 && source.database.empty())
    return std::make_shared<Plan>(plan_graph(graph, hardware, options, "", print_nothing));
  AskedPlan asked = asked_plan(graph, hardware, options, print_nothing);
  Plan plan;
  if (source.tune > 0) {
    plan = tuned_plan(asked.graph, hardware, asked.options, {.budget = source.tune}, jobs_of(source));
    asked.options = plan.options;
  }
  if (!source.database.empty()) plan = with_database(asked, hardware, source);
  return std::make_shared<Plan>(std::move(plan));
}

// Values of an input of the network, for runs that carry values.
void set_input(Plan& plan, const std::string& name, const Shape& shape, std::vector<double> data) {
  std::string names;
  for (TensorId id = 0; id < static_cast<TensorId>(plan.tensors.size()); ++id) {
    Tensor& tensor = plan.graph.tensor(id);
    if (tensor.kind != TensorKind::kInput) continue;
    append_item(names, "|", tensor.name);
    if (tensor.name != name) continue;
    if (shape != tensor.shape)
      throw UserError(name,
                      fmt::format("got values of shape {}, expected {}", to_string(shape), to_string(tensor.shape)));
    tensor.data = std::move(data);
    return;
  }
  throw UserError("inputs", fmt::format("got '{}', expected {}", name, names));
}

}  // namespace

void bind_plan(py::module_& core) {
  py::class_<TilingSource>(core, "TilingSource")
      .def(py::init<>())
      .def_readwrite("tune", &TilingSource::tune)
      .def_readwrite("database", &TilingSource::database)
      .def_readwrite("objective", &TilingSource::objective)
      .def_readwrite("reach", &TilingSource::reach)
      .def_readwrite("jobs", &TilingSource::jobs);
  py::class_<Plan, std::shared_ptr<Plan>>(core, "Plan")
      .def_property_readonly("text", &plan_text)
      .def_property_readonly("labels_text", &labels_text)
      .def_property_readonly("program", [](const Plan& plan) { return plan.program; })
      .def_property_readonly("hardware", [](const Plan& plan) { return plan.hardware; })
      .def_property_readonly("type", [](const Plan& plan) { return std::string(name_of(plan.options.type)); })
      .def("copy", [](const Plan& plan) { return std::make_shared<Plan>(plan); })
      .def("set_input", &set_input, py::arg("name"), py::arg("shape"), py::arg("data"));
  py::class_<WorkloadOptions>(core, "PlanOptions").def(py::init(&parse_options), py::arg("words"));
  core.def("make_plan", &plan_of, py::arg("graph"), py::arg("hardware"), py::arg("options"), py::arg("tilings"),
           Unlocked());
}

}  // namespace tilewright
