#include "python/interrupt.h"

#include <pybind11/pybind11.h>

namespace tilewright {

void check_interrupt() {
  const pybind11::gil_scoped_acquire interpreter;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

}  // namespace tilewright
