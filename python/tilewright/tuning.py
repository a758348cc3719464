"""Tilings of one operator, measured one by one: the search of `tilewright tune`, or one of your own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _core
from ._core import Cost, TilingPoint
from .database import Shape, shape_text
from .records import Record, Records

if TYPE_CHECKING:
    from .graph import Workload
    from .planning import Chip, Plan

Told = Union["Measurement", Tuple[TilingPoint, Optional[Cost]]]


@dataclass(frozen=True)
class Measurement:
    """What a point came to; `cost` is None where the planner or the chip refused it, and `refusal` says why."""

    point: Optional[TilingPoint]
    cost: Optional[Cost]
    refusal: str = ""

    @property
    def cycles(self) -> Optional[int]:
        """Core clocks of the operator alone."""
        return self.cost.cycles if self.cost else None


@dataclass(frozen=True)
class TuneResult:
    """What a search found. `point` is None when the planner's own tiling, or that of its formulas, is the best."""

    closed_form: Cost
    planned: Cost
    best: Cost
    point: Optional[TilingPoint]
    space: int
    removed: Dict[str, int]
    measured: int
    refused: int
    left: int
    proven: bool


class Tuner:
    """The tilings of one operator on a chip, and a search through them.

    Iterating measures, `jobs` at a time, and yields every Measurement; leave the loop to stop early. A search of your
    own picks points (`space`, `nearest`, `candidates`), measures them with measure() and may tell() the built-in one,
    which goes on from there: ask() gives the points that it would measure next.
    """

    def __init__(self, chip: "Chip", shape: Shape, *, type: str = "bf16", objective: str = "cycles",
                 budget: Optional[int] = None, exhaustive: bool = False, jobs: Optional[int] = None) -> None:
        from .planning import chip_of

        self._begin(_core.TilingTuner(chip_of(chip)._core.resolved, shape_text(shape, type), objective,
                                      checked_budget(budget), exhaustive, jobs or 0), objective)

    def _begin(self, core: _core.TilingTuner, objective: str) -> None:
        self._core = core
        self.objective = objective
        self.measurements: List[Measurement] = []

    @classmethod
    def _of(cls, core: _core.TilingTuner, objective: str) -> "Tuner":
        tuner = cls.__new__(cls)
        tuner._begin(core, objective)
        return tuner

    # ---- The search

    def ask(self) -> List[TilingPoint]:
        """What to measure next, several points at a time; empty when the search is finished."""
        return self._core.ask()

    def tell(self, *measured: Told) -> None:
        """What points came to, those of ask() and any others."""
        told = [one if isinstance(one, Measurement) else Measurement(*one) for one in measured]
        self._core.tell([_core.MeasuredPoint(one.point, one.cost, one.refusal) for one in told if one.point])
        self.measurements += told

    def measure(self, points: Sequence[Optional[TilingPoint]]) -> List[Measurement]:
        """Measures points in worker processes, without telling the search; None is the planner's own tiling."""
        return [Measurement(point, found.cost, found.refusal)
                for point, found in zip(points, self._core.measure(list(points)))]

    def __iter__(self) -> Iterator[Measurement]:
        while points := self.ask():
            measured = self.measure(points)
            self.tell(*measured)
            yield from measured

    def result(self) -> TuneResult:
        """What was found so far. UserError while points of ask() are not told."""
        return TuneResult(**self._core.result())

    def run(self) -> TuneResult:
        """The whole search at once."""
        for _ in self:
            pass
        return self.result()

    # ---- The space

    @property
    def planned(self) -> Cost:
        """Of the planner's own tiling."""
        return self._core.planned

    @property
    def closed_form(self) -> Cost:
        """Of the planner's closed formulas alone."""
        return self._core.closed_form

    def __len__(self) -> int:
        """Points of the space."""
        return len(self._core)

    def __getitem__(self, number: int) -> TilingPoint:
        return self._core.point(number)

    def refusal(self, number: int) -> str:
        """Why a point of the space is not worth a measurement ("buffer A", "idle cores" ...); empty when it is."""
        self._core.point(number)
        return self._core.refusal(number)

    def candidates(self, most: int = 0) -> List[Tuple[float, int]]:
        """Bound and number of the legal points, best bound first; at most so many (0: all)."""
        return self._core.candidates(most)

    def bound(self, point: TilingPoint) -> float:
        """A bound of the objective: no measurement of the point is below it."""
        return self._core.bound(point)

    def predicted_cycles(self, point: TilingPoint) -> float:
        """Core clocks by closed formulas: a prediction."""
        return self._core.predicted_cycles(point)

    def nearest(self, point: TilingPoint) -> Optional[TilingPoint]:
        """The point of the space with the nearest sizes; None without any of its parts over the cores."""
        return self._core.nearest(point)

    def to_records(self) -> Records:
        """What was told so far: point, cycles, energy_pj, utilisation, refusal."""
        return Records(_record(one) for one in self.measurements)

    def __repr__(self) -> str:
        return f"<Tuner of {self._core.key}: {len(self):,} points, {len(self.measurements)} measured>"


class NetworkTuner:
    """The tilings of every contraction of a network, equal ones searched once.

    Iterating searches one contraction after the other and yields (operators, Measurement); leave the loop to stop early.
    plan() plans the network with the best that was found so far.
    """

    def __init__(self, planned: "Plan", *, objective: str = "cycles", budget: Optional[int] = None,
                 exhaustive: bool = False, jobs: Optional[int] = None) -> None:
        self._planned = planned
        self._tasks = _core.tiling_tasks(planned._core)
        self._options = (objective, checked_budget(budget), exhaustive, jobs or 0)
        self.operators: List[List[str]] = [task.uses(planned._core) for task in self._tasks]
        self.tuners: Dict[int, Tuner] = {}

    def tuner(self, number: int) -> Tuner:
        """The search for contraction `number`, those of `operators[number]`."""
        if number not in self.tuners:
            core = _core.TilingTuner(self._planned._core.hardware, self._tasks[number], *self._options)
            self.tuners[number] = Tuner._of(core, self._options[0])
        return self.tuners[number]

    def __iter__(self) -> Iterator[Tuple[List[str], Measurement]]:
        for number, operators in enumerate(self.operators):
            for measurement in self.tuner(number):
                yield operators, measurement

    def __len__(self) -> int:
        """Contractions that differ."""
        return len(self._tasks)

    def results(self) -> List[Optional[TuneResult]]:
        """What was found for each contraction; None where its search has not begun."""
        return [self.tuners[number].result() if number in self.tuners else None for number in range(len(self))]

    def plan(self) -> "Plan":
        """The network with the tilings found so far."""
        from .planning import Plan

        searches = [self.tuners[number]._core if number in self.tuners else None for number in range(len(self))]
        return Plan(_core.plan_with_found(self._planned._core, self._tasks, searches), self._planned.name)

    def run(self) -> "Plan":
        """All searches; the network planned with what they found."""
        for _ in self:
            pass
        return self.plan()

    def __repr__(self) -> str:
        return f"<NetworkTuner of {self._planned.name}: {len(self)} contractions, {len(self.tuners)} begun>"


def checked_budget(budget: Optional[int]) -> int:
    if budget is not None and budget < 1:
        raise _core.UserError(f"budget: got {budget}, expected 1 or more")
    return budget or _core.default_budget()


def tune_network(chip: "Chip", workload: "Workload", *, objective: str = "cycles", budget: Optional[int] = None,
                 exhaustive: bool = False, jobs: Optional[int] = None, **options: Any) -> NetworkTuner:
    """A search for the tiling of every contraction of a network, as `tilewright tune CHIP WORKLOAD`.

    objective, budget (measurements of each contraction), exhaustive, jobs: as tune() has them. All other options are
    those of plan(): type, batch, group ...
    """
    from .planning import plan

    return NetworkTuner(plan(chip, workload, **options), objective=objective, budget=budget, exhaustive=exhaustive,
                        jobs=jobs)


def _record(measured: Measurement) -> Record:
    cost = measured.cost
    return Record(point=str(measured.point), cycles=cost and cost.cycles, energy_pj=cost and cost.energy_pj,
                  utilisation=cost and cost.utilisation, refusal=measured.refusal)


def tune(chip: "Chip", shape: Shape, *, type: str = "bf16", objective: str = "cycles", budget: Optional[int] = None,
         exhaustive: bool = False, jobs: Optional[int] = None) -> Tuner:
    """A search for the tiling of one operator, as `tilewright tune`; iterate over it, or drive it yourself.

    shape: (B, M, N, K), (N, H, W, Ci, Co, Kh, Kw, S) or a text as "matmul 1_384_1024_1024 bf16". objective: cycles|
    energy|edp. budget: measurements, besides those of the planner's own tilings. exhaustive: measure whatever may be
    better than the best, a proof. jobs: worker processes; None: one per processor.
    """
    return Tuner(chip, shape, type=type, objective=objective, budget=budget, exhaustive=exhaustive, jobs=jobs)
