"""The tiling database (docs/tiling_database.md)."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Union

from . import _core
from .records import Record, Records, load_pandas

if TYPE_CHECKING:
    import pandas

    from .planning import Chip

Shape = Union[str, Sequence[int]]

_COLUMNS = ("shape", "match", "record", "point", "cycles", "energy_pj", "rounds", "padding", "linear", "linearity",
            "record_cycles", "measured")


def shape_text(shape: Shape, type: str = "bf16") -> str:
    """A shape as databases name it: a text passes, (B, M, N, K) is a matmul, (N, H, W, Ci, Co, Kh, Kw, S) a conv."""
    if isinstance(shape, str):
        return shape
    sizes = list(shape)
    kind = {4: "matmul", 8: "conv"}.get(len(sizes))
    if kind is None:
        wanted = "4 (matmul B,M,N,K) or 8 (conv N,H,W,Ci,Co,Kh,Kw,S)"
        raise _core.UserError(f"shape: got {len(sizes)} sizes, expected {wanted}")
    return _core.operator_shape(kind, sizes, type)


class Database:
    """Tilings with their measured costs; build() or `tilewright db build` makes one."""

    def __init__(self, path: Union[str, "PathLike[str]"]) -> None:
        self.path = fspath(path)
        self.built: Optional[Record] = None
        self.columns: List[str] = _core.record_columns()
        _core.database_records(self.path)  # a file that is no database is named now

    @classmethod
    def build(cls, path: Union[str, "PathLike[str]"], chip: "Chip", shapes: Sequence[Shape] = (), *,
              workload: Optional[str] = None, type: str = "bf16", objective: str = "cycles",
              threshold: Optional[float] = None, tolerance: Optional[float] = None, budget: Optional[int] = None,
              max_visits: Optional[int] = None, max_boundary: Optional[int] = None,
              jobs: Optional[int] = None) -> "Database":
        """Measures shapes, and those of a workload, with their boundary shapes, as `tilewright db build`.

        What the file holds already is not measured again, so a build that was interrupted goes on. threshold: minimum
        share of the roofline's speed; tolerance: of a linear step; budget: measurements of one search; max_visits,
        max_boundary: shapes per initial shape; None: as the command has them. jobs: worker processes. The figures of
        the build are `built` of the database. UserError for a database built with other options.
        """
        from .planning import chip_of

        options = _core.BuildOptions()
        given = {"threshold": threshold, "tolerance": tolerance, "budget": budget, "max_visits": max_visits,
                 "max_boundary": max_boundary}
        for name, value in given.items():
            if value is not None:
                setattr(options, name, value)
        texts = [shape_text(shape, type) for shape in shapes]
        texts += _core.shapes_of_workload(fspath(workload), type) if workload is not None else []
        if not texts:
            raise _core.UserError("shapes: none given, and no workload that has some")
        built = _core.build_database(fspath(path), chip_of(chip)._core.resolved, texts, objective, options, jobs or 0)
        database = cls(path)
        database.built = Record(built)
        return database

    @property
    def records(self) -> Records:
        """All records, of every chip and objective, as the texts of `tilewright db export`."""
        return Records(Record(zip(self.columns, row)) for row in _core.database_records(self.path))

    def to_pandas(self) -> "pandas.DataFrame":
        """The records as a DataFrame, numbers as numbers."""
        pandas = load_pandas()
        frame = self.records.to_pandas()
        for column in frame.columns:
            numbers = pandas.to_numeric(frame[column], errors="coerce")
            if len(frame) and numbers.notna().all():
                frame[column] = numbers
        return frame

    def lookup(self, chip: "Chip", shapes: Sequence[Shape], *, type: str = "bf16", objective: str = "cycles",
               max_padding: Optional[float] = None, region: Optional[float] = None,
               extrapolation: Optional[float] = None) -> Records:
        """The record that serves each shape, and the cost it predicts; a row of None but for `shape` where none does.

        shapes: texts as "matmul 1_384_1024_1024 bf16", or sizes (shape_text). Columns: match, record, point (a
        TilingPoint), predicted cycles and energy_pj, rounds (times the record's), padding (share), whether it lies in
        the linear region, and its measured cost record_cycles. UserError when the database has nothing of this chip and
        objective.
        """
        from .planning import chip_of

        options = _core.LookupOptions()
        given = {"max_padding": max_padding, "region_tolerance": region, "extrapolation": extrapolation}
        for name, value in given.items():
            if value is not None:
                setattr(options, name, value)
        index = _core.DatabaseIndex(self.path, chip_of(chip)._core.resolved, objective)
        texts = [shape_text(shape, type) for shape in shapes]
        return Records(_row(text, hit) for text, hit in zip(texts, index.lookup(texts, options)))

    def __repr__(self) -> str:
        return f"<Database {self.path}: {len(self.records)} records>"


def _row(shape: str, hit: Optional[_core.Hit]) -> Record:
    values: List[Any] = [None] * (len(_COLUMNS) - 1)
    if hit is not None:
        values = [hit.match, hit.record, hit.point, hit.cycles, hit.energy_pj, hit.rounds, hit.padding, hit.linear,
                  hit.linearity, hit.record_cost.cycles, hit.measured]
    return Record(zip(_COLUMNS, [shape, *values]))
