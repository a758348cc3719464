#!/usr/bin/env python3
"""Where the host's time goes, by part of the simulator.

    bench/profile.py build/cli/tilewright run hw_configs/quad_numa.yaml traces/bert_large_layer.onnx -o /tmp/out

Runs the command under linux-perf, sums the samples of every function by the class it belongs to and prints a table.
"""
import collections
import re
import subprocess
import sys
import tempfile

# First match wins; searched for in "library symbol".
PARTS = [
    ("SystemC kernel", r"libsystemc|sc_core"),
    ("network", r"Network|::Router|CycleMarks|CycleWheel"),
    ("DRAM", r"Dram|find_candidates|refresh_choice|coordinate_of"),
    ("memory fabric", r"MemoryFabric|::locate|ClusterCache|CacheArray"),
    ("cores", r"::DmaEngine|Stream|TimedModule|RequestSplitter|RunWalker|Scoreboard|MatmulUnit|VectorUnit|::Core|"
              r"InstructionQueue|SyncHub|BufferPort|CycleAccount|CoreControl|RunRecord|EventMeter"),
    ("values", r"execute_|ValueMemory|DramImage"),
    ("verifier", r"AccessHistory|verify|Footprint|footprint|Clocks|check_|SyncWalk|Segments|SegmentIndex"),
    ("planner and reports", r"tilewright::"),
    ("program start, C and C++ libraries", r""),
]


def samples(command):
    with tempfile.NamedTemporaryFile(suffix=".perf") as data:
        subprocess.run(["perf", "record", "-q", "-F", "2000", "-o", data.name, "--"] + command, check=True,
                       stdout=subprocess.DEVNULL)
        text = subprocess.run(["perf", "report", "-i", data.name, "--stdio", "-F", "overhead,dso,symbol", "-t", "\t"],
                              check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        fields = line.strip().split("\t")
        if len(fields) == 3 and fields[0].strip().endswith("%"):
            yield float(fields[0].strip().rstrip("%")), f"{fields[1]} {fields[2]}"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sums, total = collections.Counter(), 0
    for share, symbol in samples(sys.argv[1:]):
        sums[next(part for part, pattern in PARTS if re.search(pattern, symbol))] += share
        total += share
    for part, _ in PARTS:
        print(f"{part:<36} {100 * sums[part] / max(total, 1):5.1f} %")


if __name__ == "__main__":
    main()
