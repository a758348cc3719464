"""Memory of this process and of its worker over many runs."""

import os

from conftest import workers_of

import tilewright as tw
from tilewright import _core

RUNS = 1000
MARGIN_KIB = 1024  # noise of the allocators


def resident_kib(process):
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def test_memory_does_not_grow_over_a_thousand_runs():
    _core.end_idle_workers()
    chip, planned = tw.Hardware("edge_single"), tw.plan("edge_single", "tiny_mlp")

    def measured():
        (worker,) = workers_of()
        return resident_kib(os.getpid()), resident_kib(worker)

    for _ in range(RUNS // 10):
        tw.run(chip, planned)
    before = measured()
    for _ in range(RUNS):
        tw.run(chip, planned).summary
    after = measured()
    assert all(now < then + MARGIN_KIB for then, now in zip(before, after)), (before, after)


def test_memory_does_not_grow_over_plans_and_chips():
    def once():
        chip = tw.Hardware("edge_single")
        chip.core.buffer_a_kib = 128
        tw.plan(chip, "tiny_mlp")

    for _ in range(100):
        once()
    before = resident_kib(os.getpid())
    for _ in range(300):
        once()
    assert resident_kib(os.getpid()) < before + 2 * MARGIN_KIB
