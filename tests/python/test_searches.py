"""Tilings, orders, databases and studies."""

import re

import pytest
from conftest import command_line, files_of

import tilewright as tw

SHAPE = (1, 128, 256, 128)


def test_a_search_finds_what_the_command_line_finds():
    printed = command_line("tune", "edge_single", "--m", 128, "--n", 256, "--k", 128, "--budget", 12)
    tuner = tw.tune("edge_single", SHAPE, budget=12)
    measured = list(tuner)
    result = tuner.result()
    assert len(measured) == result.measured + result.refused
    cycles = {line.split()[0]: int(line.split()[-8]) for line in printed.splitlines()
              if line.startswith(("planner ", "best "))}
    assert (cycles["planner"], cycles["best"]) == (result.planned.cycles, result.best.cycles)
    if result.point is not None:
        assert f"Best: {result.point}" in printed
    assert f"Space: {len(tuner)} points" in printed and f"measured {result.measured}," in printed


def test_jobs_do_not_change_a_search():
    runs = [[(m.point, m.cycles) for m in tw.tune("edge_single", SHAPE, budget=10, jobs=jobs)] for jobs in (1, 3)]
    assert runs[0] == runs[1]


def test_a_search_can_be_stopped_and_steered():
    tuner = tw.tune("edge_single", SHAPE, budget=20)
    for number, measurement in enumerate(tuner):
        if number == 2:
            break
    assert len(tuner.measurements) >= 3
    bound, best = tuner.candidates(1)[0]
    mine = tuner.measure([tuner[best]])
    assert mine[0].cycles >= bound
    tuner.tell(*mine)
    assert tuner.result().best.cycles <= mine[0].cycles
    assert mine[0].point not in tuner.ask(), "what was told is not asked for"


def test_what_is_asked_must_be_told_before_the_result():
    tuner = tw.tune("edge_single", SHAPE, budget=8)
    points = tuner.ask()
    assert points and tuner.ask() == points
    with pytest.raises(tw.UserError, match="not told yet"):
        tuner.result()
    for measured in reversed(tuner.measure(points)):
        tuner.tell(measured)
    tuner.result()


def test_a_proof_is_a_proof():
    result = tw.tune("edge_single", (1, 32, 32, 32), exhaustive=True).run()
    assert result.proven and result.left == 0
    assert result.best.cycles <= result.planned.cycles


def test_bounds_and_refusals_of_points():
    tuner = tw.tune("edge_single", SHAPE, budget=1)
    legal = [number for _, number in tuner.candidates()]
    refused = next(number for number in range(len(tuner)) if tuner.refusal(number))
    assert refused not in legal and not tuner.refusal(legal[0])
    point = tuner[legal[0]]
    assert tuner.nearest(point) == point == tw.TilingPoint(str(point))
    assert tuner.predicted_cycles(point) > 0
    with pytest.raises(IndexError):
        tuner[len(tuner)]


@pytest.mark.parametrize("make, said", [
    (lambda: tw.tune("edge_single", (1, 2, 3)), "got 3 sizes"),
    (lambda: tw.tune("edge_single", "matmul 1_2_3 bf16"), "matmul"),
    (lambda: tw.tune("edge_single", SHAPE, objective="time"), "got 'time'"),
    (lambda: tw.tune("edge_single", SHAPE, budget=0), "budget: got 0"),
    (lambda: tw.schedule("edge_single", "tiny_mlp", strategy="luck"), "got 'luck', expected all"),
    (lambda: tw.schedule("edge_single", "tiny_mlp", budget=0), "budget: got 0"),
    (lambda: tw.explore("no_such_study"), "no_such_study"),
    (lambda: tw.explore({"name": "x", "hardware": "edge_single", "workloads": ["tiny_mlp"], "parametres": []}),
     "parametres"),
    (lambda: tw.TilingPoint("parts"), "point"),
])
def test_a_mistake_is_a_user_error(make, said):
    with pytest.raises(tw.UserError, match=re.escape(said)):
        make()


def test_an_order_is_that_of_the_command_line(tmp_path):
    command_line("schedule", "quad_smp", "two_blocks", "--strategy", "random", "--budget", 4, "-o",
                 tmp_path / "order.yaml")
    found = tw.schedule("quad_smp", "two_blocks", strategy="random", budget=4)
    assert found.to_yaml() == (tmp_path / "order.yaml").read_text()
    assert found.cycles <= found.imported_cycles and len(found.measurements) > 1
    as_schedule = tw.run("quad_smp", "two_blocks", order=found)
    assert as_schedule.cycles == found.cycles
    assert tw.run("quad_smp", "two_blocks", order=found.order).cycles == found.cycles
    assert tw.run("quad_smp", "two_blocks", order=tmp_path / "order.yaml").cycles == found.cycles


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("db") / "tiles.db"
    shapes = path.with_suffix(".txt")
    shapes.write_text("matmul 1_128_128_128 bf16\n")
    command_line("db", "build", "edge_single", "-o", path, "--shapes", shapes, "--budget", 4)
    return path


def test_a_database_serves_many_shapes(database):
    base = tw.Database(database)
    assert len(base.records) >= 1 and base.to_pandas().shape == (len(base.records), len(base.columns))
    rows = base.lookup("edge_single", [(1, 128, 128, 128), (1, 256, 128, 128), (1, 17, 19, 23)])
    assert rows[0].match == "initial" and rows[0].cycles == rows[0].record_cycles
    assert rows[1].match == "multiple of initial" and rows[1].cycles > rows[0].cycles
    assert rows[2].shape == "matmul 1_17_19_23 bf16"
    printed = command_line("db", "lookup", database, "edge_single", "--matmul", "1,256,128,128")
    assert f"predicted cost     {rows[1].cycles:.0f} cycles" in printed
    assert f"tiling             {rows[1].point}" in printed
    g = tw.Graph("one")
    g.matmul(g.input("a", (256, 128)), g.weights("b", (128, 128)))
    assert "database" in tw.run("edge_single", g, tilings=base, tilings_reach="all").operators[0].tiling
    with pytest.raises(tw.UserError, match="has no record of quad_numa"):
        base.lookup("quad_numa", ["matmul 1_128_128_128 bf16"])


STUDY = {
    "name": "buffers",
    "hardware": "edge_single",
    "parameters": [{"key": "core.buffer_a_kib", "values": [64, 128]}, {"key": "core.matmul.rows", "values": [8, 16]}],
    "workloads": ["tiny_mlp"],
    "objectives": ["latency", "energy"],
}


def test_a_study_as_a_dictionary(tmp_path):
    asked = []

    def figure(point):
        asked.append(point["point"])
        return point["workloads"][0]["cycles"]

    found = tw.explore(STUDY, objective=figure, output=tmp_path / "study", jobs=2)
    assert asked == [0, 1, 2, 3] and found.best["objective"] == min(found.points.column("objective"))
    assert found.pareto and len(found.to_pandas()) == 4
    chip = found.hardware(found.best)
    assert tw.run(chip, "tiny_mlp").cycles == found.best["objective"]
    before = files_of(tmp_path / "study" / "points")
    assert tw.explore(STUDY, output=tmp_path / "study").points.column("point") == [0, 1, 2, 3]
    assert files_of(tmp_path / "study" / "points") == before, "a study that is done is not measured again"


def test_a_study_of_a_chip_that_was_changed():
    chip = tw.Hardware("edge_single")
    chip.core.accumulator_kib = 32
    found = tw.explore({**STUDY, "hardware": chip})
    assert found.hardware(0).core.accumulator_kib == 32
    assert "points" in found.text and found.report_html().startswith("<!")


def test_a_study_file_gives_the_bytes_of_the_command_line(tmp_path):
    import json

    file = tmp_path / "buffers.yaml"
    shipped = {key: tw._core.shipped_path(name, noun)
               for key, name, noun in (("hardware", "edge_single", "chip"), ("file", "tiny_mlp", "workload"))}
    file.write_text(json.dumps({**STUDY, "hardware": shipped["hardware"], "workloads": [{"file": shipped["file"]}]}))
    command_line("explore", file, "-o", tmp_path / "line", "--jobs", 2)
    tw.explore(file, output=tmp_path / "python")
    for name in ("results.json", "results.csv"):
        assert (tmp_path / "line" / name).read_bytes() == (tmp_path / "python" / name).read_bytes()


def test_a_network_is_tuned_contraction_by_contraction():
    search = tw.tune_network("edge_single", "tiny_mlp", budget=4, jobs=1)
    seen = {tuple(operators) for operators, measurement in search}
    assert seen == {tuple(operators) for operators in search.operators}
    results = search.results()
    assert all(result.best.cycles <= result.planned.cycles for result in results)
    tuned = tw.run("edge_single", search.plan())
    same = tw.run("edge_single", "tiny_mlp", tune=4, jobs=1)
    assert tuned.cycles == same.cycles


def test_a_search_that_stopped_early_plans_the_rest_as_before():
    search = tw.tune_network("edge_single", "tiny_mlp", budget=4, jobs=1)
    assert search.results() == [None] * len(search)
    assert tw.run("edge_single", search.plan()).cycles == tw.run("edge_single", "tiny_mlp").cycles


def test_a_database_is_built_and_goes_on(tmp_path):
    path = tmp_path / "tiles.db"
    made = tw.Database.build(path, "edge_single", [(1, 32, 64, 64)], budget=2, max_boundary=1, max_visits=2, jobs=1)
    assert made.built.shapes == 1 and made.built.measured > 0
    again = tw.Database.build(path, "edge_single", ["matmul 1_32_64_64 bf16"], budget=2, max_boundary=1, max_visits=2,
                              jobs=1)
    assert again.built.measured == 0 and again.built.reused > 0
    assert again.lookup("edge_single", [(1, 32, 64, 64)])[0].match == "initial"
    with pytest.raises(tw.UserError, match="shapes: none given"):
        tw.Database.build(path, "edge_single")
