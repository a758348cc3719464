#!/usr/bin/python3
"""Time per measurement from Python beside that of C++ on a reused chip, in pairs: bench/python_bench.py [BUILD_FOLDER]

Both measure a product of 256^3 as the planner tiles it, from the operator to its cost, in one process: C++ in
measurement_bench itself, Python in the worker of Tuner.measure(). What counts is processor time, of this process and its
worker together, so that a busy machine disturbs little; a pair is one after the other, the ratio the median of the pairs.
"""
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

BUILD = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "build")
sys.path.insert(0, str(BUILD / "python"))
os.environ.setdefault("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1")

import tilewright as tw  # noqa: E402

PAIRS, SECONDS = 15, 0.4


def native_ms(chip):
    words = [f"--benchmark_filter=^measurement/{chip}$", f"--benchmark_min_time={SECONDS}", "--benchmark_format=json"]
    ran = subprocess.run([BUILD / "bench" / "measurement_bench", *words], check=True, capture_output=True, text=True)
    return json.loads(ran.stdout[ran.stdout.index("{") :])["benchmarks"][0]["cpu_time"]


def processor_ns():
    """Of this process, all its threads, and its children."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    spent = sum(int(Path(f"/proc/{child}/schedstat").read_text().split()[0]) for child in children)
    return spent + time.process_time_ns()


def python_ms(tuner, count):
    begin = processor_ns()
    tuner.measure([None] * count)
    return (processor_ns() - begin) / 1e6 / count


def main():
    print(f"{'chip':12}  {'C++ ms':>8}  {'Python ms':>9}  {'ratio':>6}  {'fastest':>7}  pairs")
    for chip in ("edge_single", "dual_cluster", "quad_smp", "tpu_v4_like"):
        tuner = tw.tune(chip, (1, 256, 256, 256), jobs=1)
        python_ms(tuner, 20)  # starts the worker
        count = max(20, int(SECONDS * 1e3 / python_ms(tuner, 20)))
        pairs = [(native_ms(chip), python_ms(tuner, count)) for _ in range(PAIRS)]
        ratios = [python / native for native, python in pairs]
        native, python = (statistics.median(column) for column in zip(*pairs))
        fastest = min(python for _, python in pairs) / min(native for native, _ in pairs)
        spread = f"{min(ratios):.3f} to {max(ratios):.3f}"
        print(f"{chip:12}  {native:8.3f}  {python:9.3f}  {statistics.median(ratios):6.3f}  {fastest:7.3f}  {spread}")


main()
