"""Several chips at once: runs let other threads go on, each chip has a worker process of its own."""

from concurrent.futures import ThreadPoolExecutor

import tilewright as tw

names = ["edge_single", "dual_cluster", "quad_smp", "quad_numa"]
with ThreadPoolExecutor() as threads:
    for name, result in zip(names, threads.map(lambda name: tw.run(name, "tiny_attention"), names)):
        print(f"{name:14} {result.cycles:>8,} cycles")
