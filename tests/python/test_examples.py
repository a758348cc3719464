"""examples/: scripts run, notebooks are executed without a screen."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_a_script_runs(script, tmp_path):
    ended = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout


@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_runs_and_its_promises_hold(notebook, tmp_path):
    stored = json.loads(notebook.read_text())
    assert all(not cell.get("outputs") for cell in stored["cells"]), "notebooks are kept without outputs"
    words = ["--to", "notebook", "--execute", notebook, "--output-dir", tmp_path]
    subprocess.run([sys.executable, "-m", "nbconvert", *words], check=True, capture_output=True,
                   env={**os.environ, "JUPYTER_RUNTIME_DIR": str(tmp_path)})
    ran = json.loads((tmp_path / notebook.name).read_text())
    outputs = [output for cell in ran["cells"] for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in outputs)
    assert not any(output["output_type"] == "error" for output in outputs)
