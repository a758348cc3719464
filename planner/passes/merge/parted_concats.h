// Concatenations that move nothing since who reads the result loads the inputs from where they are.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Sets Attributes::in_parts of each concatenation that cannot be written in place (ir/in_place.h) and that all that
// reads it loads box by box: not what moves elements itself, nor as weights. Sets types to find out.
void part_concats(Plan& plan);

}  // namespace tilewright
