#!/usr/bin/env python3
"""CPU seconds beside ONNXim's, and how many times less.

    bench/against_onnxim.py [--build build] [--repeat 3]

Prints a table: ONNXim's CPU seconds (commit a1e8629, its simple interconnect) on a machine whose SystemC kernel makes
9.75 million bare activations per second, and those of this machine, whose rate is measured first; the ratios are as
they are, not corrected for the two rates. The chip is tpu_v4_like, with requests of 256 bytes and with ONNXim's 32.

formulas:   `run --no-predict`, the whole process: planned by formulas, verified, simulated, reported
predicted:  `run`, which plans by predictions as well
simulation: `exec` of the program that `run` planned
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHIP = os.path.join(ROOT, "hw_configs", "tpu_v4_like.yaml")
# Name, ONNXim's CPU seconds, and M, N, K of a product or a network.
CASES = [
    ("1024 x 1024 x 1024", 3.78, (1024, 1024, 1024)),
    ("384 x 1024 x 1024", 1.60, (384, 1024, 1024)),
    ("384 x 4096 x 1024", 8.21, (384, 4096, 1024)),
    ("1 x 4096 x 4096", 17.4, (1, 4096, 4096)),
    ("2048 x 2048 x 2048", 32.2, (2048, 2048, 2048)),
    ("ResNet-50", 19.9, "resnet50.onnx"),
]


def cpu_seconds(command, repeat):
    """The least of `repeat` runs: what others do on the machine only adds to it."""
    least = float("inf")
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def activations(build):
    text = subprocess.run([os.path.join(build, "bench", "kernel_bench")], check=True, capture_output=True, text=True).stdout
    return re.search(r"activations/s=([\d.]+)M", text)[1]


def workload(case, folder):
    if isinstance(case, str):
        return os.path.join(ROOT, "traces", case)
    path = os.path.join(folder, "product.csv")
    with open(path, "w") as file:
        file.write("Layer, M, N, K,\nproduct, {}, {}, {},\n".format(*case))
    return path


def small_requests(folder):
    path = os.path.join(folder, "tpu_v4_like_32.yaml")
    with open(CHIP) as file:
        text, changed = re.subn(r"request_bytes: 256", "request_bytes: 32", file.read())
    assert changed == 1, CHIP
    with open(path, "w") as file:
        file.write(text)
    return path


def figures(program, chip, network, folder, repeat):
    out = tempfile.mkdtemp(dir=folder)
    subprocess.run([program, "run", chip, network, "-o", out, "--program"], check=True, stdout=subprocess.DEVNULL)
    return [
        cpu_seconds([program, "run", chip, network, "--no-predict"], repeat),
        cpu_seconds([program, "run", chip, network], 1),
        cpu_seconds([program, "exec", chip, os.path.join(out, "program.tw")], repeat),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="build folder (build)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the fastest counts (3)")
    options = parser.parse_args()
    program = os.path.join(options.build, "cli", "tilewright")
    print(f"{activations(options.build)} million bare activations per second\n")
    print("| case | ONNXim | requests | formulas | times | predicted | times | simulation | times |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for size, chip in [(256, CHIP), (32, small_requests(folder))]:
            for name, onnxim, case in CASES:
                found = figures(program, chip, workload(case, folder), folder, options.repeat)
                cells = " | ".join(f"{seconds:.3g} | {onnxim / seconds:.3g}" for seconds in found)
                print(f"| {name} | {onnxim} | {size} B | {cells} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
