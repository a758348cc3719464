// Normalisations that exporters leave behind as several operators, each of which would pass over the rows: RMS
// normalisation, x / sqrt(mean(x^2) + epsilon), and layer normalisation, the same of x - mean(x).
#pragma once

#include "planner/graph/graph_edit.h"

namespace tilewright {

// Each over the last dimension becomes one operator, with the scale and the shift per element of a row behind it, where
// nothing else reads what is between its operators.
void fold_norms(GraphEdit& edit);

}  // namespace tilewright
