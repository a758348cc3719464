// K stagger: cores begin the sum of their products at different steps and wrap around.
//
// A step of K of a matrix with K inside is a short run of every row. Where rows are a multiple of all channels'
// interleave chunks long, these runs lie in few channels: 512 bytes of every 2 KiB in two of eight. Cores that went
// through K in step would all wait for these; begun apart, they read from all channels at a time.
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// The step of K that the part begins with; groups of cores (Hardware::load_group()) in turn. 0 where none is needed:
// the steps lie in all channels, or are not cut out of rows.
std::size_t first_k_step(const Plan& plan, OperatorId op, std::size_t item);

}  // namespace tilewright
