"""The package as a whole: command line, documentation, types."""

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import command_line

import tilewright as tw

SOURCE = Path(__file__).resolve().parents[2]


def test_the_module_is_the_command_line():
    program = subprocess.run([tw.program_path(), "--version"], check=True, capture_output=True, text=True).stdout
    assert command_line("--version") == program
    assert f"model {tw.__version__}" in program
    ended = subprocess.run([sys.executable, "-m", "tilewright", "runn"], capture_output=True, text=True)
    assert ended.returncode == 2 and "got 'runn'" in ended.stderr


def test_names_that_come_with_it():
    assert "quad_numa" in tw.chips() and "bert_large_layer" in tw.workloads()
    assert "hello_matmul" in tw.programs() and "bert_buffers" in tw.studies()


def public():
    for name in tw.__all__:
        thing = getattr(tw, name)
        yield name, thing
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    yield f"{name}.{member}", value


# One word says all of these.
PLAIN = {"add", "sub", "mul", "div", "pow", "max", "min", "relu", "gelu", "erf", "tanh", "sigmoid", "sqrt", "exp",
         "neg", "reciprocal", "identity", "cast", "clip", "softmax", "max_pool", "average_pool", "reduce_mean",
         "log", "sin", "cos", "atan", "floor", "reduce_sum", "reduce_max",
         "concat", "slice", "copy", "column", "name", "save", "report_html"}


@pytest.mark.parametrize("name, thing", [one for one in public() if one[0].split(".")[-1] not in PLAIN])
def test_everything_says_what_it_is(name, thing):
    assert inspect.getdoc(thing), name


def test_the_reference_names_everything():
    page = (SOURCE / "docs" / "python.md").read_text()
    missing = [name for name in tw.__all__ if f"`{name}" not in page and f"tw.{name}" not in page]
    assert not missing


def test_the_stubs_are_those_of_the_module():
    import ast

    stub = ast.parse((SOURCE / "python" / "tilewright" / "_core.pyi").read_text())
    declared = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    there = {name for name in dir(tw._core) if not name.startswith("_")}
    assert set(declared) == there
    for name, node in declared.items():
        if not isinstance(node, ast.ClassDef):
            continue
        members = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        members |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
        real = {member for member in vars(getattr(tw._core, name)) if not member.startswith("_")}
        assert {member for member in members if not member.startswith("_")} == real, name


@pytest.mark.skipif(shutil.which("mypy") is None, reason="no mypy here")
def test_the_types_hold():
    subprocess.run(["mypy", "--strict", "--ignore-missing-imports", "--cache-dir", os.devnull, "-p", "tilewright"],
                   check=True, env={**os.environ, "MYPYPATH": str(SOURCE / "python")})


def test_importing_it_prints_nothing_and_loads_no_pandas():
    script = "import sys, tilewright as tw; tw.run('edge_single', 'tiny_mlp'); print('pandas' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("False\n", "")


def test_without_pandas_a_table_says_what_to_install():
    script = ("import sys; sys.modules['pandas'] = None; import tilewright as tw\n"
              "records = tw.run('edge_single', 'tiny_mlp').operators\n"
              "try: records.to_pandas()\nexcept ImportError as error: print(len(records), error)")
    ended = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert ended.stdout.endswith(" to_pandas() needs pandas, which is not installed (Debian: apt-get install "
                                 "python3-pandas)\n")
