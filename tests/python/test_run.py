"""Runs, plans and programs: the figures and files of the command line."""

import json

import numpy as np
import pytest
from conftest import command_line, error_of, files_of

import tilewright as tw


@pytest.mark.parametrize("chip, workload, options, words", [
    ("edge_single", "tiny_mlp", {}, []),
    ("quad_numa", "tiny_attention", {"check": True, "trace": True}, ["--check", "--trace", "--program"]),
    ("quad_smp_cache", "tiny_conv", {"type": "fp16", "batch": 2}, ["--type", "fp16", "--batch", "2"]),
    ("dual_cluster", "tiny_attention", {"parallel": "model", "cores": 3, "placement": "round-robin", "overlap": False},
     ["--parallel", "model", "--cores", "3", "--placement", "round-robin", "--no-overlap"]),
    ("edge_single", "tiny_mlp", {"tune": 3, "refine": False}, ["--tune", "3", "--no-refine"]),
    ("quad_smp", "tiny_attention", {"fewer_cores": "measured"}, ["--fewer-cores", "measured"]),
    ("dual_cluster", "tiny_attention", {"parallel": "auto", "share_memory": True},
     ["--parallel", "auto", "--share-memory"]),
])
def test_the_bytes_are_those_of_the_command_line(tmp_path, chip, workload, options, words):
    printed = command_line("run", chip, workload, "-o", tmp_path / "line", *words)
    result = tw.run(chip, workload, **options)
    result.save(tmp_path / "python", program="--program" in words)
    assert files_of(tmp_path / "python") == files_of(tmp_path / "line")
    assert result.text in printed


def test_a_program_runs_as_exec_runs_it(tmp_path, edge):
    command_line("exec", "edge_single", "hello_matmul", "-o", tmp_path / "line")
    program = tw.Program.load("hello_matmul")
    program.run(edge).save(tmp_path / "python", program=True)
    assert files_of(tmp_path / "python") == files_of(tmp_path / "line")
    again = tw.Program(program.text, "hello_matmul")
    assert again.hash == program.hash and len(again) == len(program)
    assert again.run(edge).cycles == program.run(edge).cycles


def test_a_plan_prints_and_runs(tmp_path):
    planned = tw.plan("dual_cluster", "tiny_attention")
    assert planned.text == command_line("plan", "dual_cluster", "tiny_attention")
    assert planned.labels == command_line("labels", "dual_cluster", "tiny_attention")
    assert planned.run().cycles == tw.run("dual_cluster", planned).cycles
    assert planned.program.run("dual_cluster").cycles == planned.run().cycles
    with pytest.raises(TypeError, match="planned already"):
        tw.run("dual_cluster", planned, type="int8")


def test_figures_agree_with_each_other(quad, tmp_path):
    r = tw.run(quad, "tiny_attention", trace=True)
    assert r.summary["total_cycles"] == r.cycles
    assert r.time == pytest.approx(r.summary["time_ps"] * 1e-12)
    assert r.energy == pytest.approx(r.summary["energy"]["total_picojoules"] * 1e-12)
    assert sum(r.operators.column("multiply_adds")) == r.summary["multiply_adds"]
    table = r.operators.to_pandas()
    assert list(table["operator"]) == r.operators.column("operator") and table["cycles"].dtype.kind == "i"
    r.trace(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())
    r.report(tmp_path / "report.html")
    assert "tiny_attention on quad_numa" in (tmp_path / "report.html").read_text()
    assert r._repr_html_().startswith("<iframe srcdoc=")


def test_what_was_not_asked_for_says_so(edge, tmp_path):
    r = tw.run(edge, "tiny_mlp")
    with pytest.raises(tw.UserError, match="trace=True"):
        r.trace(tmp_path / "trace.json")
    with pytest.raises(tw.UserError, match="check=True"):
        r.outputs
    with pytest.raises(AttributeError, match="there are operator, kind"):
        r.operators[0].cicles


@pytest.mark.parametrize("options, words", [
    ({"parallel": "fast"}, ["--parallel", "fast"]),
    ({"type": "fp8"}, ["--type", "fp8"]),
    ({"cores": 2}, ["--cores", "2"]),
    ({"batch": 0}, ["--batch", "0"]),
    ({"order": "no_such_file"}, ["--order", "no_such_file"]),
    ({"decompose_above_kib": 0}, ["--decompose-above-kib", "0"]),
    ({"tilings": "no_such.db"}, ["--tilings", "no_such.db"]),
])
def test_a_mistake_has_the_message_of_the_command_line(edge, options, words):
    with pytest.raises(tw.UserError) as raised:
        tw.run(edge, "tiny_mlp", **options)
    assert str(raised.value) in error_of("run", "edge_single", "tiny_mlp", *words)


def test_a_faulty_program_is_named_with_its_line(edge):
    text = tw.Program.load("hello_matmul").text
    with pytest.raises(tw.UserError, match="^mine:"):
        tw.Program(text + "\nnonsense\n", "mine")
    with pytest.raises(tw.UserError):
        tw.Program.load("two_cores").verify(edge)


def test_a_waveform_is_that_of_the_command_line(edge, tmp_path):
    command_line("run", "edge_single", "tiny_mlp", "--waveform", tmp_path / "line.vcd")
    for name in ("first.vcd", "second.vcd"):
        tw.run(edge, "tiny_mlp", waveform=tmp_path / name)
        assert (tmp_path / name).read_bytes() == (tmp_path / "line.vcd").read_bytes()
    command_line("run", "edge_single", "tiny_mlp", "--waveform", tmp_path / "line.vcd", "--from", 100, "--to", 500)
    tw.run(edge, "tiny_mlp", waveform=(tmp_path / "part.vcd", 100, 500))
    assert (tmp_path / "part.vcd").read_bytes() == (tmp_path / "line.vcd").read_bytes()
    with pytest.raises(tw.UserError, match="got 5 to 4 ns"):
        tw.run(edge, "tiny_mlp", waveform=(tmp_path / "part.vcd", 5, 4))
    with pytest.raises(tw.UserError, match=r"expected a file named \*.vcd"):
        tw.run(edge, "tiny_mlp", waveform=tmp_path / "wave.txt")


def test_outputs_have_the_shape_of_the_network(quad):
    r = tw.run(quad, "tiny_attention", check=True)
    assert r.ok and all(np.isfinite(values).all() for values in r.outputs.values())
