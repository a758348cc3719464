// Runs in worker processes, and what they found: the values and files of `tilewright run` and `exec`.
#include <pybind11/numpy.h>

#include "cli/simulate.h"
#include "planner/measure/check.h"
#include "planner/report/run/report.h"
#include "planner/report/run/text.h"
#include "planner/report/study/html.h"
#include "python/bindings.h"
#include "python/chip_worker.h"
#include "python/finished_run.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

namespace py = pybind11;

SimulateOptions options_of(bool check, bool values, bool trace, const std::optional<WaveformOptions>& waveform) {
  SimulateOptions options{.check = check, .values = values, .trace = trace};
  options.waveform = waveform;
  options.execute = execute_in_worker;
  return options;
}

FinishedRun run_plan(const std::shared_ptr<const Plan>& plan, const std::string& name, bool check, bool values,
                     bool trace, const std::optional<WaveformOptions>& waveform) {
  Simulated simulated = simulate_plan(*plan, name, options_of(check, values, trace, waveform));
  return {std::move(simulated), plan->hardware, plan->program, plan};
}

FinishedRun run_program(const Program& program, const Hardware& hardware, const std::string& name, bool trace,
                        const std::optional<WaveformOptions>& waveform) {
  return {simulate_program(program, hardware, name, options_of(false, false, trace, waveform)), hardware, program, {}};
}

// Name, shape and values of every output of the network; none for a run without values.
std::vector<std::tuple<std::string, Shape, std::vector<double>>> outputs_of(const FinishedRun& run) {
  std::vector<std::tuple<std::string, Shape, std::vector<double>>> outputs;
  if (!run.plan || run.simulated.kept.empty()) return outputs;
  const Graph& graph = run.plan->graph;
  for (TensorId id = 0; id < static_cast<TensorId>(graph.tensors().size()); ++id)
    if (const Tensor& tensor = graph.tensor(id); tensor.kind == TensorKind::kOutput)
      outputs.emplace_back(tensor.name, tensor.shape, tensor_values(*run.plan, id, run.simulated.kept));
  return outputs;
}

py::list output_arrays(const FinishedRun& run) {
  py::list arrays;
  for (const auto& [name, shape, values] : outputs_of(run))
    arrays.append(py::make_tuple(name, py::array_t<double>(shape, values.data())));
  return arrays;
}

void bind_finished_run(py::module_& core) {
  py::class_<FinishedRun>(core, "FinishedRun")
      .def_property_readonly("text", [](const FinishedRun& run) { return to_text(run.simulated.report); })
      .def_property_readonly("summary_json", [](const FinishedRun& run) { return to_json(run.simulated.report); })
      .def_property_readonly("operators_csv",
                             [](const FinishedRun& run) { return operators_csv(run.simulated.report); })
      .def_property_readonly("trace_json", [](const FinishedRun& run) { return run.simulated.trace; })
      .def_property_readonly("time_ps", [](const FinishedRun& run) { return run.simulated.report.time; })
      .def_property_readonly("cycles", [](const FinishedRun& run) { return run.simulated.report.cycles(); })
      .def_property_readonly("energy_pj", [](const FinishedRun& run) { return run.simulated.report.picojoules; })
      .def_property_readonly("check_ok", [](const FinishedRun& run) { return run.simulated.report.check_ok(); })
      .def_property_readonly("program", [](const FinishedRun& run) { return run.program; })
      .def("outputs", &output_arrays)
      .def(
          "save",
          [](const FinishedRun& run, const std::string& folder, bool program) {
            check_result_folder(folder);
            write_result_folder(folder, run.files(program));
          },
          py::arg("folder"), py::arg("program"), Unlocked());
}

}  // namespace

void bind_run(py::module_& core) {
  py::class_<WaveformOptions>(core, "WaveformOptions")
      .def(py::init([](const std::string& path) { return WaveformOptions{.path = path}; }), py::arg("path"))
      .def_readwrite("from_ps", &WaveformOptions::from)
      .def_readwrite("to_ps", &WaveformOptions::to);
  bind_finished_run(core);
  core.def("run_plan", &run_plan, py::arg("plan"), py::arg("name"), py::arg("check"), py::arg("values"),
           py::arg("trace"), py::arg("waveform"), Unlocked());
  core.def("run_program", &run_program, py::arg("program"), py::arg("hardware"), py::arg("name"), py::arg("trace"),
           py::arg("waveform"), Unlocked());
  core.def("html_report", &html_report, py::arg("folders"), Unlocked());
  core.def("end_idle_workers", &end_idle_workers, Unlocked());
  core.def("idle_workers", &idle_workers);
}

}  // namespace tilewright
