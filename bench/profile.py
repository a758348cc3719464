#!/usr/bin/env python3
"""Where the host's time goes, by part of the simulator.

    bench/profile.py build/cli/tilewright run hw_configs/quad_numa.yaml traces/bert_large_layer.onnx -o /tmp/out

Runs the command under linux-perf, sums the samples of every function by the class it belongs to and prints a table.
With --instructions in front of the command it runs under valgrind's callgrind instead, some fifty times slower, and
instructions are counted: the same on every machine, however busy it is.
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
    ("DRAM", r"Dram|refresh_choice|coordinate_of"),
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


def instructions(command):
    """Instructions of every function itself: in a callgrind file, the lines of costs that follow no line of a call."""
    with tempfile.NamedTemporaryFile(suffix=".callgrind") as data:
        subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={data.name}"] + command, check=True,
                       stdout=subprocess.DEVNULL)
        lines = open(data.name).read().splitlines()
    names, function, of_call = {}, None, False
    for line in lines:
        if name := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
            if name[3]:
                names[name[2]] = name[3]
            function = function if name[1] else name[2]
        elif line.startswith("calls="):
            of_call = True
        elif (cost := re.match(r"[+*\d-]\S* (\d+)$", line)) and function:
            if not of_call:
                yield int(cost[1]), names[function]
            of_call = False


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    counted = sys.argv[1] == "--instructions"
    sums, total = collections.Counter(), 0
    for share, symbol in instructions(sys.argv[2:]) if counted else samples(sys.argv[1:]):
        sums[next(part for part, pattern in PARTS if re.search(pattern, symbol))] += share
        total += share
    for part, _ in PARTS:
        count = f" {sums[part] / 1e6:9.1f} M" if counted else ""
        print(f"{part:<36} {100 * sums[part] / max(total, 1):5.1f} %{count}")


if __name__ == "__main__":
    main()
