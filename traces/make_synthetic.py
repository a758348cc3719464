"""Prints a random operator graph: make_synthetic.py OPERATORS SEED > FILE.yaml

Each operator reads recent results, so that several branches are open at most times. The same seed prints the same graph.
"""

import sys

from random_graph import WIDTHS, RandomGraph


class Synthetic(RandomGraph):
    def __init__(self, seed):
        super().__init__(seed)
        self.open = [self.input]  # results that may be read

    def step(self):
        x = self.choose(self.open)
        others = [y for y in self.open if y.width == x.width and y.name != x.name]
        draw = self.random.random()
        if draw < 0.45:
            result = self.product(x, self.choose(WIDTHS))
        elif draw < 0.65 and others:
            result = self.sum(x, self.choose(others))
        else:
            result = self.vector(x)
        self.open = (self.open + [result])[-4:]


if len(sys.argv) != 3:
    sys.exit("make_synthetic.py OPERATORS SEED")
count, seed = int(sys.argv[1]), int(sys.argv[2])
graph = Synthetic(seed)
for _ in range(count):
    graph.step()
graph.print(f"synthetic_{count}_{seed}")
