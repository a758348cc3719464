// The tiling database: its records, and many look-ups at once.
#include "cli/database_options.h"
#include "cli/db/db.h"
#include "cli/shipped.h"
#include "planner/search/database/shape_extents.h"
#include "python/bindings.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

namespace py = pybind11;

std::vector<std::vector<std::string>> records_of(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  for (const TilingRecord& record : TilingDatabase(path, TilingDatabase::Mode::kRead).records())
    rows.push_back(record_texts(record));
  return rows;
}

// The records of one chip and objective, ready to be asked.
class DatabaseIndex {
 public:
  DatabaseIndex(const std::string& path, const Hardware& hardware, const std::string& objective)
      : hardware_(hardware), index_(load_index(options_of(path, hardware, objective), hardware)) {}

  std::vector<std::optional<Hit>> lookup(const std::vector<std::string>& shapes, const LookupOptions& options) const {
    std::vector<std::optional<Hit>> hits;
    for (const std::string& text : shapes)
      hits.push_back(lookup_on(*index_, parse_operator_shape(text, "shape"), hardware_, options));
    return hits;
  }

 private:
  static DatabaseOptions options_of(const std::string& path, const Hardware& hardware, const std::string& objective) {
    DatabaseOptions options;
    options.database = path, options.hardware = hardware.name, options.objective = objective;
    objective_of(options);  // names an unknown one before the file is read
    return options;
  }

  const Hardware hardware_;
  const std::unique_ptr<const TilingIndex> index_;
};

// As `tilewright db build`; the figures that it prints.
py::dict build(const std::string& path, const Hardware& hardware, const std::vector<std::string>& shapes,
               const std::string& objective, const BuildOptions& options, int jobs) {
  std::vector<OperatorShape> parsed;
  for (const std::string& shape : shapes) parsed.push_back(parse_operator_shape(shape, "shape"));
  BuildSummary summary;
  {
    const py::gil_scoped_release unlocked;
    TilingDatabase database(path, TilingDatabase::Mode::kWrite);
    summary = build_tilings(database, hardware, parsed, parse_objective(objective, "objective"), options,
                            jobs > 0 ? jobs : default_jobs());
  }
  if (!summary.failed.empty()) throw InternalError(fmt::format("{} queries ended a worker", summary.failed.size()));
  using namespace py::literals;
  return py::dict("shapes"_a = summary.shapes, "entered"_a = summary.entered,
                  "below_threshold"_a = summary.below_threshold, "not_tiled"_a = summary.not_tiled,
                  "boundary"_a = summary.boundary, "measured"_a = summary.measured, "reused"_a = summary.reused);
}

// Those of a workload's contractions.
std::vector<std::string> shapes_of_workload(const std::string& file, const std::string& type) {
  ShapeSource source;
  source.workload = path_of(file, Shipped::kWorkload), source.type = type;
  std::vector<std::string> texts;
  for (const OperatorShape& shape : shapes_of(source)) texts.push_back(to_string(shape));
  return texts;
}

void bind_build(py::module_& core) {
  py::class_<BuildOptions>(core, "BuildOptions")
      .def(py::init<>())
      .def_readwrite("threshold", &BuildOptions::threshold)
      .def_readwrite("tolerance", &BuildOptions::tolerance)
      .def_readwrite("budget", &BuildOptions::budget)
      .def_readwrite("max_visits", &BuildOptions::max_visits)
      .def_readwrite("max_boundary", &BuildOptions::max_boundary);
  core.def("build_database", &build, py::arg("path"), py::arg("hardware"), py::arg("shapes"), py::arg("objective"),
           py::arg("options"), py::arg("jobs"));
  core.def("shapes_of_workload", &shapes_of_workload, py::arg("file"), py::arg("type"), Unlocked());
}

void bind_hit(py::module_& core) {
  py::class_<Hit>(core, "Hit", "The record that serves a shape, and the cost it predicts.")
      .def_property_readonly(
          "match", [](const Hit& hit) { return std::string(name_of(hit.match)); },
          "initial, boundary, multiple of initial or multiple of boundary.")
      .def_property_readonly(
          "record", [](const Hit& hit) { return to_string(hit.record->shape); }, "Shape of the record.")
      .def_property_readonly(
          "point", [](const Hit& hit) { return hit.record->point; }, "Its tiling.")
      .def_property_readonly(
          "record_cost", [](const Hit& hit) { return hit.record->cost; }, "What it cost.")
      .def_property_readonly(
          "measured", [](const Hit& hit) { return hit.record->measured; }, "Whether that was measured; else predicted.")
      .def_property_readonly(
          "cycles", [](const Hit& hit) { return hit.predicted.cycles; },
          "Predicted core clocks: the record's times what the model of time makes of the other size.")
      .def_property_readonly(
          "proportional_cycles", [](const Hit& hit) { return hit.proportional.cycles; },
          "Core clocks of the record times `rounds`.")
      .def_property_readonly(
          "error_bound", [](const Hit& hit) { return hit.error_bound; },
          "How far `cycles` may be off, as a share of the measured ones.")
      .def_property_readonly(
          "energy_pj", [](const Hit& hit) { return hit.proportional.energy_pj; },
          "Picojoules of the record times `rounds`.")
      .def_property_readonly(
          "rounds", [](const Hit& hit) { return hit.rounds; }, "How many times the work of the record.")
      .def_property_readonly(
          "padding", [](const Hit& hit) { return hit.padding; }, "Padded work over the work of the shape, minus 1.")
      .def_property_readonly(
          "linearity", [](const Hit& hit) { return hit.linearity; }, "Expected over proportional cost; 0: unknown.")
      .def_property_readonly(
          "linear", [](const Hit& hit) { return hit.linear; },
          "Whether the shape lies in the linear region of the record.");
}

}  // namespace

void bind_database(py::module_& core) {
  bind_hit(core);
  bind_build(core);
  py::class_<LookupOptions>(core, "LookupOptions")
      .def(py::init<>())
      .def_readwrite("max_padding", &LookupOptions::max_padding)
      .def_readwrite("predict", &LookupOptions::predict)
      .def_readwrite("region_tolerance", &LookupOptions::region_tolerance)
      .def_readwrite("extrapolation", &LookupOptions::extrapolation);
  py::class_<DatabaseIndex>(core, "DatabaseIndex")
      .def(py::init<const std::string&, const Hardware&, const std::string&>(), py::arg("path"), py::arg("hardware"),
           py::arg("objective"), Unlocked())
      .def("lookup", &DatabaseIndex::lookup, py::arg("shapes"), py::arg("options"), Unlocked());
  core.def("database_records", &records_of, py::arg("path"), Unlocked());
  core.def("record_columns", &record_columns);
}

}  // namespace tilewright
