"""Cycle-approximate simulation of multi-core AI accelerators, with a planner: the command line as Python calls.

    import tilewright as tw

    chip = tw.Hardware("quad_numa")            # a chip that comes with tilewright, or a hardware file
    chip.core.buffer_a_kib = 512               # keys of the file; a wrong one raises tw.UserError
    result = tw.run(chip, "bert_large_layer")  # a workload by name, a file, a Graph
    print(result.cycles, result.energy)
    result.operators.to_pandas()

Runs happen in worker processes: this process may hold any number of chips, a run lets other threads go on, Ctrl-C ends
it with KeyboardInterrupt, and a worker that dies raises WorkerCrash. Equal inputs give equal results, byte for byte the
ones of the command line.

Units stand in names or in the docstrings: time in seconds, energy in joules, cycles of the core clock, sizes in bytes.
"""

from ._core import Cost, Hit, InternalError, TilingPoint, UserError, WorkerCrash
from ._program import program_path, version
from .database import Database
from .graph import Graph, Tensor
from .hardware import Hardware, Section, UnknownKey
from .planning import Plan, plan
from .program import Program
from .records import Record, Records
from .result import Result
from .running import run
from .scheduling import Schedule, schedule
from .shipped import chips, programs, studies, workloads
from .studying import StudyResult, explore
from .tuning import Measurement, NetworkTuner, Tuner, TuneResult, tune, tune_network

__version__ = version()

__all__ = [
    "Cost",
    "Database",
    "Graph",
    "Hardware",
    "Hit",
    "InternalError",
    "Measurement",
    "NetworkTuner",
    "Plan",
    "Program",
    "Record",
    "Records",
    "Result",
    "Schedule",
    "Section",
    "StudyResult",
    "Tensor",
    "TilingPoint",
    "TuneResult",
    "Tuner",
    "UnknownKey",
    "UserError",
    "WorkerCrash",
    "chips",
    "explore",
    "plan",
    "program_path",
    "programs",
    "run",
    "schedule",
    "studies",
    "tune",
    "tune_network",
    "version",
    "workloads",
]
