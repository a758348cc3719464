// A look-up's prediction by the queue model: slower than the model of time that orders the records, and much closer.
#pragma once

#include "planner/search/database/tiling_lookup.h"

namespace tilewright {

// The hit with Hit::predicted as the record's cycles and energy times what the queue model makes of the shape over what
// it makes of the record's, both with the record's tiling. As it is where the shape is the record's own, or where a
// prediction would be too much work (is_predictable()).
Hit queue_predicted(Hit hit, const OperatorShape& shape, const Hardware& hardware);

}  // namespace tilewright
