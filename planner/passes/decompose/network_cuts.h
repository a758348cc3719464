// How every operator of a network is cut, so that parts of one are parts of its neighbours where it has to be.
#pragma once

#include "planner/passes/decompose/choose_cuts.h"

namespace tilewright {

// By OperatorId; empty: as it is. A tensor between operators that is larger than the limit can never be there as a
// whole: who writes it and who reads it are cut along the same dimension of it into as many parts, where they can.
std::vector<std::vector<DimensionCut>> network_cuts(const Plan& plan, const PartLimit& limit);

}  // namespace tilewright
