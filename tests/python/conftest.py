"""What the tests of the package share."""

import os
import subprocess
import sys

import pytest

import tilewright as tw


def command_line(*arguments, cwd=None):
    """`python3 -m tilewright ...`: what it printed; fails when it does."""
    return subprocess.run([sys.executable, "-m", "tilewright", *map(str, arguments)], check=True, capture_output=True,
                          text=True, cwd=cwd).stdout


def error_of(*arguments):
    """What the command line says of a mistake."""
    ended = subprocess.run([sys.executable, "-m", "tilewright", *map(str, arguments)], capture_output=True, text=True)
    assert ended.returncode == 2, ended
    return ended.stderr.strip()


def files_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def workers_of(process=None):
    """Process numbers of the children of this process."""
    task = f"/proc/{process or os.getpid()}/task"
    children = []
    for thread in os.listdir(task):
        with open(f"{task}/{thread}/children") as file:
            children += map(int, file.read().split())
    return children


@pytest.fixture
def edge():
    return tw.Hardware("edge_single")


@pytest.fixture
def quad():
    return tw.Hardware("quad_numa")
