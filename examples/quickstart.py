"""What larger input buffers do to a BERT-large layer: time, energy, and the operator that takes longest."""

import tilewright as tw

chip = tw.Hardware("quad_numa")
before = tw.run(chip, "bert_large_layer")
chip.core.buffer_a_kib = chip.core.buffer_b_kib = 1024
after = tw.run(chip, "bert_large_layer")

for result in (before, after):
    print(f"{result.cycles:>10,} cycles  {result.energy * 1e3:8.3f} mJ  {result.summary['bottleneck']}")
slowest = max(after.operators, key=lambda row: row.cycles)
print(f"slowest operator: {slowest.operator}, {slowest.cycles:,} cycles, tiling {slowest.tiling}")
