"""A network built in Python, run with numbers, and compared with numpy."""

import numpy as np

import tilewright as tw

random = np.random.default_rng(1)
w1, w2 = (random.normal(0, 0.05, shape).astype(np.float32) for shape in ((512, 1024), (1024, 512)))

g = tw.Graph("block")
x = g.input("x", (16, 512))
g.add(x, g.matmul(g.relu(g.matmul(x, w1)), w2), name="sum")

values = random.uniform(-1, 1, (16, 512)).astype(np.float32)
result = tw.run("quad_smp", g, type="fp32", inputs={"x": values}, check=True)
expected = values + np.maximum(values @ w1, 0) @ w2
error = np.abs(result.outputs["sum.out"] - expected).max()
print(f"{result.cycles:,} cycles, largest difference from numpy {error:.1e}")
assert result.ok and error < 1e-3
