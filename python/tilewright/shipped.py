"""What comes with tilewright and goes by name."""

from typing import List

from . import _core


def chips() -> List[str]:
    """Names that Hardware() takes."""
    return _core.shipped_names("chip")


def workloads() -> List[str]:
    """Names that run(), plan() and Graph.load() take."""
    return _core.shipped_names("workload")


def programs() -> List[str]:
    """Names that Program.load() takes."""
    return _core.shipped_names("program")


def studies() -> List[str]:
    """Names that explore() takes."""
    return _core.shipped_names("study")
