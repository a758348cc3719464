"""Prints a random operator graph of a known structure: make_cells.py KIND OPERATORS SEED > FILE.yaml

inception:       modules of three to five branches of different lengths, which meet in a sum
unet:            a way down and a way up, each level of the one added to the same level of the other, over operators between
series_parallel: parts one behind the other or side by side, each of which is made of such parts again
darts:           cells of four to seven nodes, each the sum of two operations on nodes of the cell or on the two cells before

It has about so many operators. The same seed prints the same graph.
"""

import sys
from functools import reduce

from random_graph import WIDTHS, RandomGraph


class Cells(RandomGraph):
    def chain(self, x, length, width):
        """Operators one behind the other, whose results have this width."""
        for _ in range(length):
            x = self.product(x, width) if x.width != width or self.random.random() < 0.45 else self.vector(x)
        return x

    def inception(self, count):
        x = self.input
        while len(self.operators) < count:
            width = self.choose(WIDTHS)
            branches = [self.chain(x, self.choose([1, 2, 3, 4, 5]), width) for _ in range(self.choose([3, 4, 5]))]
            x = reduce(self.sum, branches)

    def unet(self, count):
        levels = max(1, round(count / 9))  # two or three operators down, up and between, and their sum
        x, skips = self.input, []
        for level in range(levels):
            x = self.chain(x, self.choose([2, 3, 4]), WIDTHS[level * len(WIDTHS) // levels])
            skips.append(self.chain(x, self.choose([1, 2, 3]), x.width))
        for skip in reversed(skips):
            x = self.sum(self.chain(x, self.choose([2, 3, 4]), skip.width), skip)

    def series_parallel(self, count):
        self.compose(self.input, count)

    def compose(self, x, count):
        if count < 4:
            return self.chain(x, count, x.width)
        side_by_side = self.random.random() < 0.5
        rest = count - 1 if side_by_side else count
        first = 1 + int(self.random.random() * (rest - 1))
        result = self.compose(x, first)
        if side_by_side:
            return self.sum(result, self.compose(x, rest - first))
        return self.compose(result, rest - first)

    def darts(self, count):
        before, x = self.input, self.input
        while len(self.operators) < count:
            before, x = x, self.cell(before, x)

    def cell(self, before, x):
        """The sum of the nodes that no other reads; the first node reads both cells before."""
        nodes, loose = [before, x], set()
        for node in range(self.choose([4, 5, 6, 7])):
            sources = nodes if node == 0 else [self.choose(nodes), self.choose(nodes)]
            loose -= set(sources)
            nodes.append(self.sum(*[self.chain(source, self.choose([1, 2]), source.width) for source in sources]))
            loose.add(nodes[-1])
        return reduce(self.sum, [node for node in nodes if node in loose])


KINDS = {"inception": Cells.inception, "unet": Cells.unet, "series_parallel": Cells.series_parallel, "darts": Cells.darts}

if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
    sys.exit(f"make_cells.py {'|'.join(KINDS)} OPERATORS SEED")
kind, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
graph = Cells(seed)
KINDS[kind](graph, count)
graph.print(f"{kind}_{count}_{seed}")
