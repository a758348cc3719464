// Where results between operators lie, as a file that users write.
#pragma once

#include <string>

#include "planner/ir/plan.h"

namespace tilewright {

//   stores:
//     - {store: cluster1, tensors: [h1, h2]}
//     - {store: mem, tensors: [h3]}
//
// A store is `mem`, `cluster` (each piece next to the core that writes it) or `clusterN` (all of it there, from 1 on).
// UserError with file and line for a file that is no such choice.
StoreChoice read_stores(const std::string& path);

}  // namespace tilewright
