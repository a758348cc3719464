// What is thrown on the C++ side, as Python's exceptions.
#include "python/bindings.h"
#include "python/chip_worker.h"
#include "sim/base/error.h"

namespace tilewright {

void bind_errors(pybind11::module_& core) {
  pybind11::register_exception<UserError>(core, "UserError", PyExc_ValueError).doc() =
      "A mistake in what was given: a file, a value, a network that the chip has no room for. The message is the one "
      "of "
      "the command line.";
  pybind11::register_exception<InternalError>(core, "InternalError", PyExc_RuntimeError).doc() =
      "A fault of tilewright itself; please report it.";
  pybind11::register_exception<WorkerCrash>(core, "WorkerCrash", PyExc_RuntimeError).doc() =
      "A worker process died during a run; the next run gets a new one.";
}

}  // namespace tilewright
