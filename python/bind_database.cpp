// The tiling database: its records, and many look-ups at once.
#include "cli/database_options.h"
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

  std::optional<Hit> lookup(const std::string& text, const LookupOptions& options) const {
    const OperatorShape shape = parse_operator_shape(text, "shape");
    const Graph graph = graph_of(shape);
    return index_.lookup(shape, options, fitting(graph, 0, hardware_, shape.type));
  }

  std::vector<std::optional<Hit>> lookup_all(const std::vector<std::string>& shapes,
                                             const LookupOptions& options) const {
    std::vector<std::optional<Hit>> hits;
    for (const std::string& shape : shapes) hits.push_back(lookup(shape, options));
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
  const TilingIndex index_;
};

void bind_hit(py::module_& core) {
  py::class_<Hit>(core, "Hit")
      .def_property_readonly("match", [](const Hit& hit) { return std::string(name_of(hit.match)); })
      .def_property_readonly("record", [](const Hit& hit) { return to_string(hit.record->shape); })
      .def_property_readonly("point", [](const Hit& hit) { return hit.record->point; })
      .def_property_readonly("record_cost", [](const Hit& hit) { return hit.record->cost; })
      .def_property_readonly("measured", [](const Hit& hit) { return hit.record->measured; })
      .def_readonly("cycles", &Hit::cycles)
      .def_readonly("energy_pj", &Hit::energy_pj)
      .def_readonly("rounds", &Hit::rounds)
      .def_readonly("padding", &Hit::padding)
      .def_readonly("linearity", &Hit::linearity)
      .def_readonly("linear", &Hit::linear);
}

}  // namespace

void bind_database(py::module_& core) {
  bind_hit(core);
  py::class_<LookupOptions>(core, "LookupOptions")
      .def(py::init<>())
      .def_readwrite("max_padding", &LookupOptions::max_padding)
      .def_readwrite("region_tolerance", &LookupOptions::region_tolerance)
      .def_readwrite("extrapolation", &LookupOptions::extrapolation);
  py::class_<DatabaseIndex>(core, "DatabaseIndex")
      .def(py::init<const std::string&, const Hardware&, const std::string&>(), py::arg("path"), py::arg("hardware"),
           py::arg("objective"), Unlocked())
      // Hits point into the index.
      .def("lookup", &DatabaseIndex::lookup_all, py::arg("shapes"), py::arg("options"), py::keep_alive<0, 1>(),
           Unlocked());
  core.def("database_records", &records_of, py::arg("path"), Unlocked());
  core.def("record_columns", &record_columns);
}

}  // namespace tilewright
