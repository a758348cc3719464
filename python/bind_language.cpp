// Language models by their configuration files: which blocks are simulated, and the figures of all of them.
#include "cli/language_run.h"
#include "cli/shipped.h"
#include "cli/workload_options.h"
#include "planner/import/language/language_model.h"
#include "python/bindings.h"
#include "python/finished_run.h"

namespace tilewright {
namespace {

namespace py = pybind11;

WorkloadOptions with_file(WorkloadOptions options, const std::string& file, std::int64_t blocks) {
  options.workload = path_of(file, Shipped::kWorkload);
  options.language.blocks = blocks;
  return options;
}

Graph import_with(const std::string& file, const WorkloadOptions& options, std::int64_t blocks) {
  const WorkloadOptions read = with_file(options, file, blocks);
  return import_workload(read.workload, import_options(read));
}

std::vector<std::int64_t> counts(const std::string& file, const WorkloadOptions& options, bool repeat) {
  const WorkloadOptions read = with_file(options, file, 0);
  return block_counts(read.workload, import_options(read), repeat);
}

bool add_report(FinishedRun& run, const std::string& file, const WorkloadOptions& options, std::int64_t blocks) {
  const WorkloadOptions read = with_file(options, file, blocks);
  return add_repeat_report(read.workload, import_options(read), *run.plan, run.simulated.report);
}

}  // namespace

void bind_language(py::module_& core) {
  core.def("is_language_config",
           [](const std::string& file) { return is_language_config(path_of(file, Shipped::kWorkload)); });
  core.def("import_workload", &import_with, py::arg("file"), py::arg("options"), py::arg("blocks"), Unlocked());
  core.def("block_counts", &counts, py::arg("file"), py::arg("options"), py::arg("repeat"));
  core.def("add_language_report", &add_report, py::arg("run"), py::arg("file"), py::arg("options"), py::arg("blocks"));
}

}  // namespace tilewright
