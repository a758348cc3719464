// A plain computation of the graph's operators, in double, one loop nest each: what programs are checked against.
#pragma once

#include <vector>

#include "planner/graph/graph.h"

namespace tilewright {

using TensorValues = std::vector<double>;  // row-major

// Of the inputs and weights that a run with values makes up.
inline constexpr std::uint64_t kValueSeed = 1;

// Seeded, reproducible values for an input or constant: its data where known; else activations in [-1, 1] and weights
// scaled by 1/sqrt(fan-in) so that deep networks stay in range; variances positive; indices in range. Rounded to
// `type`.
TensorValues initial_values(const Graph& graph, TensorId tensor, DataType type, std::uint64_t seed);

// The weights [depth, columns] of a kMatMulNBits behind its inputs of bytes and scales.
TensorValues expanded_weights(const Attributes& attributes, std::int64_t depth, std::int64_t columns,
                              const TensorValues& bytes, const TensorValues& scales);

// One operator with its epilogues. `inputs` as Operator::inputs; `epilogue_operands` has one entry per epilogue, null
// where the epilogue has no operand. The result is not rounded.
TensorValues compute_reference(const Graph& graph, const Operator& op, const std::vector<const TensorValues*>& inputs,
                               const std::vector<const TensorValues*>& epilogue_operands);

}  // namespace tilewright
