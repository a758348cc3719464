// Kernels that XLA makes of operators on the rows of an array: it ends one at every reduction, because what follows
// waits for the result, so that the array is read from memory again.
#pragma once

#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

// Reads an array and writes it, and computes next to nothing: a scaling, or a copy into another layout.
Graph array_scaling(const Shape& shape);

// [rows, width] -> [rows, 1].
Graph row_reduction(OpKind kind, std::int64_t rows, std::int64_t width);

// [rows, width] divided by [rows, 1].
Graph row_scaling(std::int64_t rows, std::int64_t width);

// Layer normalisation has two `reductions` and RMS normalisation one: each reads the array, its result goes through a
// small kernel, and one more kernel reads the array and writes it.
std::vector<Graph> norm_kernels(std::int64_t rows, std::int64_t width, int reductions);

}  // namespace tilewright
