"""Design-space studies: which chip? (docs/exploration.md)"""

from __future__ import annotations

import json
import shutil
import tempfile
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from . import _core
from .hardware import Hardware
from .records import Record, Records, load_pandas
from .result import framed

Objective = Callable[[Record], float]


class StudyResult:
    """The points of a study. `folder` holds its files; without an output folder they are gone with this object."""

    def __init__(self, folder: Path, objective: Optional[Objective], temporary: Optional[Any] = None) -> None:
        self.folder = folder
        self._temporary = temporary
        self.results: Dict[str, Any] = json.loads((folder / "results.json").read_text())
        self.points = Records(Record(point) for point in self.results["points"])
        for point in self.points:
            measured = objective is not None and point["status"] == "measured"
            point["objective"] = objective(point) if measured and objective else None

    @property
    def pareto(self) -> Records:
        """Points that no other beats in all objectives of the study."""
        return Records(point for point in self.points if point["pareto"])

    @property
    def best(self) -> Record:
        """The measured point with the least value of the callable that explore() was given."""
        ranked = [point for point in self.points if point["objective"] is not None]
        if not ranked:
            raise _core.UserError("best: explore(objective=...) was given none, or no point was measured")
        return min(ranked, key=lambda point: float(point["objective"]))

    def hardware(self, point: Union[int, Record]) -> Hardware:
        """The chip of a point."""
        number = point if isinstance(point, int) else int(point["point"])
        return Hardware.from_yaml(_core.study_hardware(str(self.folder), number), f"point_{number}.yaml")

    def to_pandas(self) -> Any:
        """results.csv as a DataFrame, with the values of the callable as column `objective`."""
        frame = load_pandas().read_csv(self.folder / "results.csv")
        frame["objective"] = self.points.column("objective")
        return frame

    @property
    def text(self) -> str:
        """What `tilewright explore` prints at the end."""
        return _core.study_text(str(self.folder))

    def save(self, folder: Union[str, "PathLike[str]"]) -> None:
        """Copies the study's folder."""
        shutil.copytree(self.folder, fspath(folder))

    def report_html(self) -> str:
        return _core.html_report([str(self.folder)])

    def report(self, file: Union[str, "PathLike[str]"]) -> None:
        """Writes the page of `tilewright report`."""
        Path(file).write_text(self.report_html())

    def _repr_html_(self) -> str:
        return framed(self.report_html())

    def __repr__(self) -> str:
        return f"<StudyResult: {len(self.points)} points, {len(self.pareto)} of them Pareto-optimal>"


def explore(study: Union[str, "PathLike[str]", Mapping[str, Any]], *, objective: Optional[Objective] = None,
            output: Optional[Union[str, "PathLike[str]"]] = None, jobs: Optional[int] = None) -> StudyResult:
    """Measures the chips of a study: a name (`studies()`), a file, or a dictionary with the keys of a file.

    In a dictionary, chip and workloads go by name or by path from the current folder; the chip may be a Hardware.
    objective: called with every measured point (a Record with the keys of results.json), gives the number that
    StudyResult.best makes small. output: a folder that keeps every point as soon as it is measured; a study begun there
    goes on. jobs: worker processes; None: one per processor.
    """
    temporary = None if output is not None else tempfile.TemporaryDirectory(prefix="tilewright-study-")
    folder = Path(fspath(output)) if output is not None else Path(temporary.name) / "study"  # type: ignore[union-attr]
    if not isinstance(study, Mapping):
        _core.explore(fspath(study), str(folder), jobs or 0)
        return StudyResult(folder, objective, temporary)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / f"{study.get('name', 'study')}.yaml"
        file.write_text(json.dumps(_with_paths(study, Path(place))))
        _core.explore(str(file), str(folder), jobs or 0)
    return StudyResult(folder, objective, temporary)


def _with_paths(study: Mapping[str, Any], place: Path) -> Dict[str, Any]:
    """Files of a study are found from its own folder: here they are named in full; a Hardware becomes a file."""
    full = dict(study)
    if isinstance(full.get("hardware"), Hardware):
        chip = place / "hardware.yaml"
        chip.write_text(full["hardware"].to_yaml())
        full["hardware"] = str(chip)
    elif "hardware" in full:
        full["hardware"] = str(Path(_core.shipped_path(str(full["hardware"]), "chip")).absolute())
    full["workloads"] = [_workload(entry) for entry in full.get("workloads", [])]
    return full


def _workload(entry: Union[str, Mapping[str, Any]]) -> Dict[str, Any]:
    full = {"file": entry} if isinstance(entry, str) else dict(entry)
    full["file"] = str(Path(_core.shipped_path(str(full["file"]), "workload")).absolute())
    return full


__all__: List[str] = ["Objective", "StudyResult", "explore"]
