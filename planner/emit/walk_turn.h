// Where cores begin that go through the same pieces of something in a circle.
//
// The pieces lie in the memories next to these cores, a run of them in each (passes/allocate/tensor_cuts.h). Cores
// begin with the runs of different memories, those of a cluster with its own and the ones behind it, as one link leads
// from each to the cluster; and of cores that begin in one memory each begins with other pieces of it. Those that one
// read serves (Hardware::load_group()) begin together.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/hw/config/hardware.h"

namespace tilewright {

// How many memories behind the one next to it a core begins: none for the first core of a cluster, one for the second,
// ...; none for those that one read may serve (Hardware::shares_loads()).
int memories_behind(const Hardware& hardware, int core);

struct WalkTurn {
  std::size_t number = 0, of = 1;
  // Of `pieces`, the one to begin with.
  std::size_t first(std::size_t pieces) const { return number * pieces / of; }
};

// `cores`: those that go through the pieces, `core` one of them.
WalkTurn walk_turn(const Hardware& hardware, const std::vector<int>& cores, int core);

}  // namespace tilewright
