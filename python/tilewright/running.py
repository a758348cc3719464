"""Runs: the whole path, from a workload to its measured cost."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .graph import Workload
from .planning import Chip, Plan, plan
from .result import Result

Inputs = Mapping[str, ArrayLike]


def run(chip: Chip, workload: Union[Workload, Plan], *, check: bool = False, inputs: Optional[Inputs] = None,
        trace: bool = False, waveform: Optional[Union[str, "PathLike[str]"]] = None, **options: Any) -> Result:
    """Plans a workload, simulates it on the chip and reports time, energy and where they went.

    workload: a name, a file (.onnx, .yaml, .csv), bytes of an ONNX model, a Graph, or a Plan (then without `options`,
    and on the chip it was planned for). check: carry values and compare each operator's output with a reference
    computation. inputs: arrays by name, each of the input's shape; the run carries values, those of other inputs being
    seeded. trace: record what every unit did (Result.trace). waveform: a .vcd file to write. All other options are
    those of plan(): type, batch, parallel, tune, tilings, order, jobs ...

    Runs in a worker process, without the interpreter's lock: threads run side by side. UserError for a mistake,
    WorkerCrash when the worker died, KeyboardInterrupt on Ctrl-C.
    """
    if isinstance(workload, Plan):
        if options:
            raise TypeError(f"a Plan is planned already: {', '.join(options)} go to plan()")
        return run_plan(workload, check=check, inputs=inputs, trace=trace, waveform=waveform)
    return run_plan(plan(chip, workload, **options), check=check, inputs=inputs, trace=trace, waveform=waveform)


def run_plan(planned: Plan, *, check: bool = False, inputs: Optional[Inputs] = None, trace: bool = False,
             waveform: Optional[Union[str, "PathLike[str]"]] = None) -> Result:
    core = planned._core
    if inputs:
        core = core.copy()
        for name, values in inputs.items():
            array = np.ascontiguousarray(values, dtype=np.float64)
            core.set_input(name, list(array.shape), array.ravel().tolist())
    values = check or inputs is not None
    return Result(_core.run_plan(core, planned.name, check, values, trace, waveform_options(waveform)))


def waveform_options(path: Optional[Union[str, "PathLike[str]"]]) -> Optional[_core.WaveformOptions]:
    if path is None:
        return None
    if not fspath(path).endswith(".vcd"):
        raise _core.UserError(f"waveform: got '{fspath(path)}', expected a file named *.vcd")
    return _core.WaveformOptions(fspath(path))
