"""What a run found."""

from __future__ import annotations

import csv
import html
import io
import json
import tempfile
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from .records import Record, Records

if TYPE_CHECKING:
    from .program import Program

_TEXT_COLUMNS = {"operator", "kind", "split", "tiling"}


def _number(text: str) -> Any:
    if not text:
        return None
    return float(text) if any(mark in text for mark in ".en") else int(text)


class Result:
    """Figures of a run; those of `tilewright run`, which docs/output.md explains."""

    def __init__(self, core: _core.FinishedRun) -> None:
        self._core = core

    @property
    def time(self) -> float:
        """Seconds from launch to the last completion."""
        return self._core.time_ps * 1e-12

    @property
    def time_ps(self) -> int:
        """The same in picoseconds, exactly."""
        return self._core.time_ps

    @property
    def cycles(self) -> int:
        """Cycles of the core clock, rounded up."""
        return self._core.cycles

    @property
    def energy(self) -> float:
        """Joules, dynamic and static."""
        return self._core.energy_pj * 1e-12

    @cached_property
    def summary(self) -> Dict[str, Any]:
        """Every figure of the run: summary.json."""
        summary: Dict[str, Any] = json.loads(self._core.summary_json)
        return summary

    @property
    def language(self) -> Optional[Record]:
        """Figures of a language model, all its blocks: time_per_token_ps or time_to_first_token_ps, tokens_per_second,
        picojoules_per_token, weight_bytes, bandwidth_bound_ps ... (docs/language_models.md); None for other workloads.
        """
        figures = self.summary.get("language_model")
        return Record(figures) if figures else None

    @cached_property
    def operators(self) -> Records:
        """Operators that ran, with the columns of operators.csv; None where there is no figure."""
        rows = csv.DictReader(io.StringIO(self._core.operators_csv))
        return Records(
            Record({key: text if key in _TEXT_COLUMNS else _number(text) for key, text in row.items()}) for row in rows
        )

    @property
    def ok(self) -> bool:
        """Whether all values agree with the reference; True without check=True."""
        return self._core.check_ok

    @cached_property
    def outputs(self) -> Dict[str, NDArray[np.float64]]:
        """The network's outputs by name, as the chip left them in memory. UserError for a run without values."""
        found = dict(self._core.outputs())
        if not found:
            raise _core.UserError("outputs: this run carried no values; run with check=True or inputs={...}")
        return found

    @property
    def program(self) -> "Program":
        """The instruction program that ran."""
        from .program import Program

        return Program._of(self._core.program, self.summary["workload"])

    @property
    def text(self) -> str:
        """What the command line prints."""
        return self._core.text

    def save(self, folder: Union[str, "PathLike[str]"], program: bool = False) -> None:
        """The result folder of `tilewright run -o`, byte for byte, with trace.json if the run recorded one."""
        self._core.save(fspath(folder), program)

    def trace(self, file: Union[str, "PathLike[str]"]) -> None:
        """Writes what every unit did, for Perfetto. UserError for a run without trace=True."""
        if not self._core.trace_json:
            raise _core.UserError("trace: this run recorded none; run with trace=True")
        Path(file).write_text(self._core.trace_json)

    def report(self, file: Union[str, "PathLike[str]"]) -> None:
        """Writes the page of `tilewright report`: one HTML file that loads nothing from anywhere."""
        Path(file).write_text(self.report_html())

    def report_html(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            self.save(Path(folder) / "run")
            return _core.html_report([str(Path(folder) / "run")])

    def _repr_html_(self) -> str:
        return framed(self.report_html())

    def __repr__(self) -> str:
        what = f"{self.summary['workload']} on {self.summary['hardware']}"
        return f"<Result {what}: {self.cycles:,} cycles, {self.time * 1e3:.3f} ms, {self.energy * 1e3:.3f} mJ>"


def framed(page: str, height: int = 700) -> str:
    """A page inside a page, as notebooks show it."""
    return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="{height}" style="border:0"></iframe>'
