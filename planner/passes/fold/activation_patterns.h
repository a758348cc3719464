// Activations that exporters leave behind as several operators: GELU, by erf or by its approximation with tanh, and
// SiLU.
#pragma once

#include "planner/graph/graph_edit.h"

namespace tilewright {

// Each becomes one operator, where nothing else reads what is between its operators.
void fold_activations(GraphEdit& edit);

}  // namespace tilewright
