"""The order of a network's operators, searched by measured time (docs/schedule.md)."""

from __future__ import annotations

import csv
import io
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, List, Optional, Union

from . import _core
from .graph import Workload, graph_of
from .records import Record, Records

if TYPE_CHECKING:
    from .planning import Chip


class Schedule:
    """An order that was found; run(order=schedule) uses it."""

    def __init__(self, core: _core.FoundSchedule) -> None:
        self._core = core

    @property
    def order(self) -> List[str]:
        """Labels of the operators in the order they run."""
        return self._core.order

    @property
    def cycles(self) -> int:
        """Core clocks of the network in this order."""
        return self._core.cycles

    @property
    def imported_cycles(self) -> int:
        """Core clocks of the network in the order of its file."""
        return self._core.imported_cycles

    @property
    def text(self) -> str:
        """What `tilewright schedule` prints."""
        return self._core.text

    @property
    def dot(self) -> str:
        """The graph with its parts and places, for graphviz."""
        return self._core.dot

    @property
    def measurements(self) -> Records:
        """Every order that was timed: the columns of `tilewright schedule --csv`, as texts."""
        return Records(Record(row) for row in csv.DictReader(io.StringIO(self._core.csv)))

    def to_yaml(self) -> str:
        """The file that `tilewright run --order` takes."""
        return self._core.yaml

    def save(self, file: Union[str, "PathLike[str]"]) -> None:
        Path(file).write_text(self.to_yaml())

    def __repr__(self) -> str:
        return f"<Schedule: {self.cycles:,} cycles, {self.imported_cycles:,} as imported>"


def schedule(chip: "Chip", workload: Workload, *, type: str = "bf16", batch: int = 1, strategy: str = "beam",
             budget: Optional[int] = None, window: Optional[int] = None, min_nodes: Optional[int] = None,
             merged_orders: Optional[int] = None, part_nodes: Optional[int] = None,
             predictions: Optional[int] = None, linked: Optional[int] = None, seed: int = 1,
             jobs: Optional[int] = None) -> Schedule:
    """Searches the order in which the chip runs a network fastest, as `tilewright schedule`.

    strategy: all|random|beam|mcts. budget: runs of the whole network; where most sub-graphs come again, orders measured
    of each (docs/schedule.md). window: key nodes per sub-graph; smaller ones than min_nodes are merged up to
    merged_orders orders, longer ones than part_nodes are cut. predictions: orders predicted for each that may be
    measured. linked: other orders of each sub-graph measured alone to try in the whole network. jobs: worker processes;
    None: one per processor.
    """
    from .planning import chip_of

    options = _core.ScheduleOptions()
    given = {"budget": budget, "window": window, "min_nodes": min_nodes, "merged_orders": merged_orders,
             "part_nodes": part_nodes, "predictions": predictions, "linked": linked, "seed": seed,
             "jobs": jobs or _core.default_jobs()}
    for name, value in given.items():
        least = {"linked": 0, "seed": 0, "part_nodes": 4}.get(name, 1)
        if value is not None and value < least:
            raise _core.UserError(f"{name}: got {value}, expected {max(least, 1)} or more")
        if value is not None:
            setattr(options, name, value)
    return Schedule(
        _core.find_schedule(graph_of(workload, type, batch), chip_of(chip)._core.resolved, type, strategy, options)
    )
