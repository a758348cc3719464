"""Chips drawn at random, for scripts that judge by chips that had no part in a choice: arrays of 8 to 128 rows and columns, buffers
of 8 KiB to 2 MiB, 1 to 32 cores; DDR4, HBM2 and LPDDR4; smp, numa, mesh, ring and simple."""

import itertools
import math
import random

# Bytes a second of one channel.
DRAM = {"DDR4_2400U": 19.2e9, "DDR4_1600J": 12.8e9, "LPDDR4_3200": 6.4e9, "HBM2_2000": 16e9, "HBM2_2.5Gbps": 38.4e9}


def octaves(dice, low, high):
    """A number of `low` to `high`, about as many of each octave."""
    return math.exp(dice.uniform(math.log(low), math.log(high)))


class Chip:
    def __init__(self, dice, name, several):
        self.name = name
        self.clusters, per_cluster = 1, 1
        while several and self.clusters * per_cluster == 1:
            self.clusters, per_cluster = dice.choice([1, 2, 4, 8]), dice.choice([1, 2, 4])
        self.cores = self.clusters * per_cluster
        self.rows, self.columns = (dice.choice([8, 16, 32, 64, 128]) for _ in range(2))
        megahertz = dice.choice([500, 940, 1000])
        buffers = ", ".join(str(int(octaves(dice, 8, 2049))) for _ in range(3))
        buffers = "".join(f"  {key}_kib: {kib}\n" for key, kib in
                          zip(["buffer_a", "buffer_b", "accumulator"], buffers.split(", ")))
        preset, channels = dice.choice(list(DRAM)), dice.choice([1, 2, 4, 8])
        if preset.startswith("HBM2"):
            channels *= 2
        self.bytes_per_cycle = DRAM[preset] * channels / megahertz / 1e6
        interleave = dice.choice([128, 256, 512])
        self.text = (f"name: {name}\nclusters: {self.clusters}\ncores_per_cluster: {per_cluster}\n"
                     f"core:\n  frequency_mhz: {megahertz}\n{buffers}"
                     f"  matmul: {{rows: {self.rows}, columns: {self.columns}, dataflow: "
                     f"{dice.choice(['weight_stationary', 'output_stationary'])}, issue_cycles: {dice.choice([0, 4])}}}\n"
                     f"  vector: {{lanes: {max(8, self.columns)}, issue_cycles: {dice.choice([0, 4])}}}\n"
                     f"  dma: {{setup_cycles: {dice.choice([4, 16])}, outstanding_requests: {dice.choice([32, 64, 128])}, "
                     f"request_bytes: 128, buffer_bytes_per_cycle: {dice.choice([64, 128])}}}\n"
                     f"  control: {{signal_cycles: 20, launch_cycles: 50}}\n"
                     + self.network(dice, channels, per_cluster)
                     + f"dram: {{preset: {preset}, channels: {channels}, channel_capacity_mib: 64, interleave_bytes: "
                       f"{interleave}, interleave_hash: {dice.choice(['false', 'true'])}, controller_clocks: 20}}\n")

    def network(self, dice, channels, per_cluster):
        topology = dice.choice(["smp", "numa", "mesh", "ring", "simple"])
        text = (f"network: {{topology: {topology}, frequency_mhz: 1000, flit_bytes: {dice.choice([32, 64])}, "
                f"ports_per_cluster: {dice.choice([1, min(2, per_cluster)])}")
        if topology == "mesh":
            wide = 1 << (self.clusters.bit_length() // 2)
            text += f", columns: {wide}, rows: {max(1, self.clusters // wide)}"
        if topology == "ring":
            text += f", routers: {self.clusters}"
        if topology in ("numa", "mesh", "ring"):
            text += f", channels_per_router: {max(1, -(-channels // self.clusters))}"
        return text + "}\n"


def drawn_chips(seed):
    """One after the other, every second one of several cores. Some cannot be built, as the program says of them."""
    dice = random.Random(seed)
    for number in itertools.count():
        yield Chip(dice, f"seed{seed}_chip{number}", number % 2 == 1)
