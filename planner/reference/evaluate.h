// Values of a tensor from those of the graph's inputs and constants, by the reference of every operator in between.
#pragma once

#include <functional>
#include <optional>

#include "planner/reference/reference.h"

namespace tilewright {

// What is known of an input or constant; what an operator computes is taken from Tensor::data where that is known.
using KnownSource = std::function<std::optional<TensorValues>(TensorId)>;

// Whether an operator is computed; null: every one is.
using Computes = std::function<bool(const Operator&)>;

// Nothing where the values depend on a source that is not known or an operator that is not computed.
std::optional<TensorValues> evaluate(const Graph& graph, TensorId tensor, const KnownSource& source,
                                     const Computes& computes = {});

}  // namespace tilewright
