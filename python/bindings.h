// The parts of the module tilewright._core, one function for each; python/tilewright/_core.pyi describes what they add.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace tilewright {

// Around C++ that touches no Python object, so that other threads of the interpreter go on.
using Unlocked = pybind11::call_guard<pybind11::gil_scoped_release>;

void bind_errors(pybind11::module_& core);
void bind_hardware(pybind11::module_& core);
void bind_graph(pybind11::module_& core);
void bind_program(pybind11::module_& core);
void bind_plan(pybind11::module_& core);
void bind_run(pybind11::module_& core);
void bind_language(pybind11::module_& core);
void bind_tiling(pybind11::module_& core);
void bind_schedule(pybind11::module_& core);
void bind_database(pybind11::module_& core);
void bind_study(pybind11::module_& core);

}  // namespace tilewright
