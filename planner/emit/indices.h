// Values of tensors that address other data: they must be known when the program is made.
#pragma once

#include "planner/reference/evaluate.h"

namespace tilewright {

// The indices a program is made for: the tensor's data, or, where it has none, values seeded the same way every time.
// Those that operators compute follow from the values of a run with kValueSeed in `type`.
inline TensorValues planned_indices(const Graph& graph, TensorId tensor, DataType type) {
  return *evaluate(graph, tensor, [&](TensorId id) {
    const bool index = graph.tensor(id).is_index;
    return std::optional(initial_values(graph, id, index ? DataType::kInt32 : type, index ? 0 : kValueSeed));
  });
}

}  // namespace tilewright
