// How the dimensions of an operator's inputs relate to those of its output.
#pragma once

#include "planner/graph/graph.h"

namespace tilewright {

// A dimension of an input is one of the output (0 or more), is summed over, or must be whole for every part.
inline constexpr int kReducedAxis = -1, kWholeAxis = -2;
int axis_of(const Graph& graph, const Operator& op, std::size_t input, std::size_t dimension);

// Elements summed over for one element of the output of a product or convolution.
std::int64_t reduction_length(const Graph& graph, const Operator& op);

// Positions of a convolution's kernel; 1 for a product.
std::int64_t kernel_of(const Graph& graph, const Operator& op);

// Whether an operator reduces each row, its input's last dimension, to one element and keeps the dimension.
bool reduces_rows(const Operator& op, const Shape& input);

// Whether parts of the output may cut its dimension: elements along a normalised one depend on each other.
bool can_cut(const Operator& op, std::size_t dimension);

}  // namespace tilewright
