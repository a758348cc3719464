// Values of tensors that address other data: they must be known when the program is made.
#pragma once

#include "planner/reference/reference.h"

namespace tilewright {

// The indices a program is made for: the tensor's data, or, where it has none, values seeded the same way every time.
inline TensorValues planned_indices(const Graph& graph, TensorId tensor) {
  return initial_values(graph, tensor, DataType::kInt32, 0);
}

}  // namespace tilewright
