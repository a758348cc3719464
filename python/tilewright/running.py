"""Runs: the whole path, from a workload to its measured cost."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, Mapping, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .graph import Graph, Workload, name_of
from .language import block_counts
from .planning import Chip, Plan, is_language_model, plan
from .result import Result

Inputs = Mapping[str, ArrayLike]
File = Union[str, "PathLike[str]"]
Waveform = Union[File, Tuple[File, int, int]]


def run(chip: Chip, workload: Union[Workload, Plan], *, check: bool = False, inputs: Optional[Inputs] = None,
        trace: bool = False, waveform: Optional[Waveform] = None, repeat: bool = True, **options: Any) -> Result:
    """Plans a workload, simulates it on the chip and reports time, energy and where they went.

    workload: a name, a file (.onnx, .yaml, .csv, or a language model's config .json), bytes of an ONNX model, a Graph, or a Plan (then without `options`,
    and on the chip it was planned for). check: carry values and compare each operator's output with a reference
    computation. inputs: arrays by name, each of the input's shape; the run carries values, those of other inputs being
    seeded. trace: record what every unit did (Result.trace). waveform: a .vcd file to write, or (file, from, to) in
    nanoseconds from launch. repeat: of a language model, three blocks (else four) stand for all where the third takes the time
    of the second; False simulates all (Result.language). All other options are those of plan(): type, batch, parallel, tune, tilings, order ...

    Runs in a worker process, without the interpreter's lock: threads run side by side. UserError for a mistake,
    WorkerCrash when the worker died, KeyboardInterrupt on Ctrl-C.
    """
    if isinstance(workload, Plan):
        if options:
            raise TypeError(f"a Plan is planned already: {', '.join(options)} go to plan()")
        return run_plan(workload, check=check, inputs=inputs, trace=trace, waveform=waveform)
    if not is_language_model(workload) or options.get("blocks"):
        return run_plan(plan(chip, workload, **options), check=check, inputs=inputs, trace=trace, waveform=waveform)
    assert not isinstance(workload, (bytes, Graph))
    for blocks in block_counts(workload, repeat, **options):
        result = run_plan(plan(chip, workload, blocks=blocks, **options), check=check, inputs=inputs, trace=trace,
                          waveform=waveform)
        if result.language:
            return result
    raise _core.InternalError(f"{name_of(workload)}: a run of all blocks has no figures of the model")


def run_plan(planned: Plan, *, check: bool = False, inputs: Optional[Inputs] = None, trace: bool = False,
             waveform: Optional[Waveform] = None) -> Result:
    core = planned._core
    if inputs:
        core = core.copy()
        for name, values in inputs.items():
            array = np.ascontiguousarray(values, dtype=np.float64)
            core.set_input(name, list(array.shape), array.ravel().tolist())
    values = check or inputs is not None
    done = _core.run_plan(core, planned.name, check, values, trace, waveform_options(waveform))
    if planned._language:
        _core.add_language_report(done, *planned._language)
    return Result(done)


def waveform_options(waveform: Optional[Waveform]) -> Optional[_core.WaveformOptions]:
    if waveform is None:
        return None
    if not isinstance(waveform, tuple):
        return _core.WaveformOptions(_vcd(waveform))
    file, first, last = waveform
    if not 0 <= first <= last:
        raise _core.UserError(f"waveform: got {first} to {last} ns, expected 0 or more, the first not behind the last")
    options = _core.WaveformOptions(_vcd(file))
    options.from_ps, options.to_ps = first * 1000, last * 1000
    return options


def _vcd(file: File) -> str:
    if not fspath(file).endswith(".vcd"):
        raise _core.UserError(f"waveform: got '{fspath(file)}', expected a file named *.vcd")
    return fspath(file)
