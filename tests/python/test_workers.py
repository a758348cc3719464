"""Several chips in one process, threads, crashes and interrupts."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import workers_of

import tilewright as tw
from tilewright import _core


def large():
    """A workload that simulates for some seconds."""
    g = tw.Graph("large")
    x = g.input("x", (1024, 2048))
    for i in range(6):
        x = g.matmul(x, g.weights(f"w{i}", (2048, 2048)))
    return g


def planned_large():
    return tw.plan("quad_smp", large(), predict=False)  # what is asked of it is a long simulation, not a fast program


@pytest.fixture(autouse=True)
def no_workers_before():
    _core.end_idle_workers()
    yield
    _core.end_idle_workers()


def test_several_chips_live_side_by_side():
    chips = [tw.Hardware(name) for name in ("edge_single", "dual_cluster", "quad_numa", "quad_smp")]
    first = [tw.run(chip, "tiny_mlp").cycles for chip in chips]
    assert [tw.run(chip, "tiny_mlp").cycles for chip in reversed(chips)] == first[::-1]
    assert len(set(first)) > 1
    assert _core.idle_workers() == len(chips)


def test_an_equal_chip_uses_the_same_worker():
    tw.run("edge_single", "tiny_mlp")
    workers = workers_of()
    tw.run("edge_single", "tiny_mlp")
    assert workers_of() == workers and len(workers) == 1


def test_threads_get_the_same_results():
    names = ["edge_single", "dual_cluster"] * 6
    expected = {name: tw.run(name, "tiny_attention").summary for name in names}
    with ThreadPoolExecutor(4) as threads:
        for name, result in zip(names, threads.map(lambda name: tw.run(name, "tiny_attention"), names)):
            assert result.summary == expected[name]


def test_workers_outlive_the_thread_that_asked_first():
    with ThreadPoolExecutor(1) as thread:
        thread.submit(tw.run, "edge_single", "tiny_mlp").result()
    workers = workers_of()
    time.sleep(0.1)
    tw.run("edge_single", "tiny_mlp")
    assert workers_of() == workers


def test_other_threads_go_on_while_a_run_simulates():
    chip, planned = tw.Hardware("quad_smp"), planned_large()
    counted = 0
    runner = threading.Thread(target=tw.run, args=(chip, planned))
    runner.start()
    while runner.is_alive():
        counted += 1
        time.sleep(0.001)
    assert counted > 100


def killed_meanwhile(action, number):
    """Runs `action` while its worker is sent a signal."""

    def kill():
        while not workers_of():
            time.sleep(0.01)
        time.sleep(0.3)
        for worker in workers_of():
            os.kill(worker, number)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        return action()
    finally:
        killer.join()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_crash_of_a_worker_is_an_exception_and_the_next_run_works(number):
    planned = planned_large()
    with pytest.raises(tw.WorkerCrash, match=f"died: killed by signal {int(number)}"):
        killed_meanwhile(planned.run, number)
    assert workers_of() == []
    assert tw.run("quad_smp", "tiny_mlp").cycles > 0


def test_a_worker_that_died_while_idle_is_replaced():
    before = tw.run("edge_single", "tiny_mlp").cycles
    for worker in workers_of():
        os.kill(worker, signal.SIGKILL)
    time.sleep(0.1)
    assert tw.run("edge_single", "tiny_mlp").cycles == before


def interrupted_after(seconds, action):
    """How long `action` went on after Ctrl-C."""
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        action()
    return time.monotonic() - sent[0]


def test_an_interrupt_ends_a_run_and_leaves_nothing_broken():
    planned = planned_large()
    before = tw.run("edge_single", "tiny_mlp").cycles
    assert interrupted_after(0.5, planned.run) < 0.5
    assert len(workers_of()) == 1, "only the idle one of edge_single is left"
    assert tw.run("edge_single", "tiny_mlp").cycles == before
    assert tw.run("quad_smp", "tiny_mlp").cycles > 0


def test_an_interrupt_ends_planning():
    g = tw.Graph("deep")
    x = g.input("x", (128, 256))
    w = g.weights("w", (256, 256))
    for _ in range(6000):
        x = g.matmul(x, w)
    assert interrupted_after(1, lambda: tw.plan("quad_smp", g)) < 2
    assert tw.run("edge_single", "tiny_mlp").cycles > 0


def test_an_interrupt_ends_searches(tmp_path):
    def tune():
        tw.tune("quad_smp", (1, 1024, 2048, 2048), budget=10000, jobs=2).run()

    def explore():
        tw.explore("bert_buffers", output=tmp_path / "study", jobs=2)

    for action in (tune, explore, lambda: tw.schedule("quad_smp", "two_tower", budget=100000, jobs=2)):
        assert interrupted_after(2, action) < 5
        assert workers_of() == []


def test_a_forked_copy_of_the_process_leaves_the_workers_alone():
    before = tw.run("edge_single", "tiny_mlp").cycles
    workers = workers_of()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(run_again, range(4)) == [before] * 4
    assert set(workers) <= set(workers_of())
    assert tw.run("edge_single", "tiny_mlp").cycles == before


def run_again(_):
    return tw.run("edge_single", "tiny_mlp").cycles


def running(process):
    """Whether it is there and not only waits to be collected."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_workers_end_with_their_process():
    script = "import tilewright as tw; tw.run('edge_single', 'tiny_mlp'); import conftest; print(conftest.workers_of())"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    printed = subprocess.run([sys.executable, "-c", script], env=environment, check=True, capture_output=True,
                             text=True).stdout
    (worker,) = eval(printed)
    deadline = time.monotonic() + 10
    while running(worker):
        assert time.monotonic() < deadline
        time.sleep(0.01)
