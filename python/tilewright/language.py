"""Language models by the configuration files that hubs publish (docs/language_models.md)."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, Dict, Iterator, List, Mapping, Optional, Union

from . import _core

File = Union[str, "PathLike[str]"]


def words_of(options: Dict[str, Any]) -> Iterator[str]:
    """As on the command line; what is not given keeps its default."""
    for name, value in options.items():
        if value is True:
            yield f"--{name}"
        elif isinstance(value, Mapping):
            yield from (f"--{name}={key}={number}" for key, number in value.items())
        elif value is not None and value is not False:
            yield f"--{name}={value}"


def language_options(*, phase: Optional[str] = None, context: Optional[int] = None, new: Optional[int] = None,
                     routing: Optional[File] = None, routing_seed: Optional[int] = None, weights: Optional[str] = None,
                     group_size: Optional[int] = None) -> Dict[str, Any]:
    """The options of language models as the command line calls them."""
    return {"phase": phase, "context": context, "new": new, "routing": routing and fspath(routing),
            "routing-seed": routing_seed, "weights": weights, "group-size": group_size}


def plan_options(type: str, batch: int, others: Dict[str, Any]) -> _core.PlanOptions:
    return _core.PlanOptions(list(words_of({"type": type, "batch": batch, **others})))


def block_counts(file: File, repeat: bool, *, type: str = "bf16", batch: int = 1, phase: Optional[str] = None,
                 context: Optional[int] = None, new: Optional[int] = None, routing: Optional[File] = None,
                 routing_seed: Optional[int] = None, weights: Optional[str] = None,
                 group_size: Optional[int] = None, **_: Any) -> List[int]:
    """Numbers of blocks to simulate one after the other until they stand for all; options as plan() takes them."""
    language = language_options(phase=phase, context=context, new=new, routing=routing, routing_seed=routing_seed,
                                weights=weights, group_size=group_size)
    return _core.block_counts(fspath(file), plan_options(type, batch, language), repeat)
