"""Plans: who computes what, with which tilings, as which program. No simulation, but for what searches measure."""

from __future__ import annotations

import tempfile
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from .database import Database
from .graph import Graph, Workload, graph_of, name_of
from .hardware import Hardware
from .language import language_options, words_of
from .scheduling import Schedule

Chip = Union[str, "PathLike[str]", Hardware]
Order = Union[str, "PathLike[str]", Schedule, Sequence[str]]
# File, options and number of blocks of a language model.
LanguageSource = Tuple[str, _core.PlanOptions, int]


class Plan:
    """A workload planned for a chip; made by plan(), run by run() or Plan.run()."""

    def __init__(self, core: _core.Plan, name: str, language: Optional[LanguageSource] = None) -> None:
        self._core = core
        self.name = name
        self._language = language

    @property
    def text(self) -> str:
        """What `tilewright plan` prints: splits, tilings, size of the program."""
        return self._core.text

    @property
    def labels(self) -> str:
        """What `tilewright labels` prints: how each tensor is cut and placed, tasks per core."""
        return self._core.labels_text

    @property
    def program(self) -> "Program":
        """The instruction program."""
        from .program import Program

        return Program._of(self._core.program, self.name)

    def run(self, **options: Any) -> "Result":
        """As run() with the plan: check, inputs, trace, waveform."""
        from .running import run_plan

        return run_plan(self, **options)

    def __repr__(self) -> str:
        return f"<Plan of {self.name}: {len(self._core.program)} instructions>"


def chip_of(chip: Chip) -> Hardware:
    return chip if isinstance(chip, Hardware) else Hardware(chip)


def plan(chip: Chip, workload: Workload, *, type: str = "bf16", batch: int = 1, parallel: str = "free",
         cores: Optional[int] = None, fewer_cores: str = "predicted", placement: str = "auto", layout: str = "auto", row_gaps: str = "auto",
         constants: str = "near",
         abreast: str = "auto", hand_on: str = "auto", early_loads: str = "auto",
         strategies: Optional[Union[str, "PathLike[str]"]] = None, convert_inputs: bool = False,
         share_memory: bool = False, overlap: bool = True, refine: bool = True, predict: bool = True,
         decompose_above_kib: Optional[int] = None, order: Optional[Order] = None, tune: int = 0,
         tilings: Optional[Union[str, "PathLike[str]", Database]] = None, tilings_objective: str = "cycles",
         tilings_reach: str = "gain", jobs: Optional[int] = None,
         group: Union[str, "PathLike[str]"] = "auto", store: Union[str, "PathLike[str]"] = "auto",
         phase: Optional[str] = None, context: Optional[int] = None,
         new: Optional[int] = None, routing: Optional[Union[str, "PathLike[str]"]] = None,
         routing_seed: Optional[int] = None, weights: Optional[str] = None, group_size: Optional[int] = None,
         types: Optional[Union[str, "PathLike[str]"]] = None, blocks: int = 0,
         dims: Optional[Mapping[str, int]] = None) -> Plan:
    """Plans a workload for a chip. The options are those of `tilewright run`, with its defaults and messages.

    type: element type, bf16|fp16|fp32|int8|fp8_e4m3|fp8_e5m2. types: a YAML file with element types of single operators.
    batch: value of a symbolic batch dimension. dims: values of other dimensions that an ONNX file names,
    {"sequence_length": 128}. parallel: data|model|hybrid|free|auto. cores: the first so many; None: all.
    fewer_cores: predicted|measured, half as many, a quarter ... and the fastest taken.
    placement: auto|local|round-robin. layout: auto|row-major. row_gaps: auto|none. constants: near|once. abreast: auto|none.
    strategies: a YAML file.
    hand_on: auto|none, operands that cores take from each other.
    early_loads: auto|none|always.
    order: a Schedule, labels of all operators, or a file. tune: measurements for each contraction's tiling. tilings: a database,
    with tilings_objective cycles|energy|edp and tilings_reach gain|linear|all. jobs: worker processes of tune and of
    parallel="auto"; None: one per processor. group: auto|none, or a file of groups. store: auto|none, or a file of
    stores. UserError for what cannot be planned on this chip.

    Of a language model's config.json (docs/language_models.md): phase prefill|decode; context: tokens of each prompt,
    or in the cache; new: tokens to come; routing: a file with the experts of every token, else drawn by routing_seed;
    weights: float|int8|int4 with scales for group_size rows each, None: as the configuration says; blocks: the first so many, 0: all.
    """
    _check_tilings(tune, tilings, tilings_objective, tilings_reach)
    words: Dict[str, Any] = {"type": type, "batch": batch, "dim": dims, "parallel": parallel, "cores": cores, "fewer-cores": fewer_cores,
                             "placement": placement, "layout": layout, "row-gaps": row_gaps, "constants": constants, "abreast": abreast,
                             "hand-on": hand_on,
                             "early-loads": early_loads,
                             "strategies": strategies and fspath(strategies), "convert-inputs": convert_inputs,
                             "share-memory": share_memory, "no-overlap": not overlap, "no-refine": not refine,
                             "no-predict": not predict, "decompose-above-kib": decompose_above_kib, "group": fspath(group),
                             "store": fspath(store), "types": types and fspath(types)}
    words.update(language_options(phase=phase, context=context, new=new, routing=routing, routing_seed=routing_seed,
                                  weights=weights, group_size=group_size))
    source = _core.TilingSource()
    source.tune, source.objective, source.reach, source.jobs = tune, tilings_objective, tilings_reach, jobs or 0
    if tilings is not None:
        source.database = tilings.path if isinstance(tilings, Database) else fspath(tilings)
    with tempfile.TemporaryDirectory() as folder:
        words["order"] = _order_file(order, folder)
        options = _core.PlanOptions(list(words_of(words)))
        graph, language = _graph_and_language(workload, type, batch, options, blocks, phase)
        core = _core.make_plan(graph, chip_of(chip)._core.resolved, options, source)
    return Plan(core, name_of(workload), language)


def _graph_and_language(workload: Workload, type: str, batch: int, options: _core.PlanOptions, blocks: int,
                        phase: Optional[str]) -> Tuple[_core.Graph, Optional[LanguageSource]]:
    if isinstance(workload, (Graph, bytes)):
        if phase is not None:
            raise _core.UserError(f"phase: is for configurations of language models, not for '{name_of(workload)}'")
        return graph_of(workload, type, batch), None
    file = fspath(workload)
    language = (file, options, blocks) if _core.is_language_config(file) else None
    return _core.import_workload(file, options, blocks), language


def is_language_model(workload: Workload) -> bool:
    """Whether a workload is a configuration of a language model."""
    return not isinstance(workload, (Graph, bytes)) and _core.is_language_config(fspath(workload))


def _check_tilings(tune: int, tilings: Any, objective: str, reach: str) -> None:
    if tune < 0:
        raise _core.UserError(f"tune: got {tune}, expected 0 or more")
    if tune and tilings is not None:
        raise _core.UserError("tune excludes tilings")
    for name, value, names in (("tilings_objective", objective, "cycles|energy|edp"),
                               ("tilings_reach", reach, "gain|linear|all")):
        if value not in names.split("|"):
            raise _core.UserError(f"{name}: got '{value}', expected {names}")


def _order_file(order: Optional[Order], folder: str) -> Optional[str]:
    if order is None or isinstance(order, (str, PathLike)):
        return None if order is None else fspath(order)
    text = order.to_yaml() if isinstance(order, Schedule) else _order_yaml(order)
    path = Path(folder) / "order.yaml"
    path.write_text(text)
    return str(path)


def _order_yaml(labels: Sequence[str]) -> str:
    import json

    return "graph: order\noperators:\n" + "".join(f"  - {json.dumps(label)}\n" for label in labels)


from .program import Program  # noqa: E402
from .result import Result  # noqa: E402

__all__: List[str] = ["Chip", "Order", "Plan", "plan"]
