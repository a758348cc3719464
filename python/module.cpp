// tilewright._core: the calls of the command line for the Python package in python/tilewright.
#include <cstdlib>
#include <systemc>

#include "cli/commands.h"
#include "cli/shipped.h"
#include "planner/measure/simulator_version.h"
#include "planner/measure/worker_pool.h"
#include "python/bindings.h"
#include "python/interrupt.h"
#include "sim/base/stop.h"

// libsystemc has a main that calls this. Here the interpreter has its own; without the symbol the library does not
// load.
[[gnu::visibility("default")]] int sc_main(int, char**) { return 0; }

PYBIND11_MODULE(_core, core) {
  using namespace tilewright;
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  set_constants_of_environment();
  set_stop_check(check_interrupt);
  bind_errors(core);
  core.def("set_program_path", &set_program_path, pybind11::arg("path"));
  core.def("simulator_version", &simulator_version);
  core.def("default_jobs", &default_jobs);
  bind_hardware(core);
  bind_graph(core);
  bind_program(core);
  bind_plan(core);
  bind_run(core);
  bind_language(core);
  bind_tiling(core);
  bind_schedule(core);
  bind_database(core);
  bind_study(core);
}
