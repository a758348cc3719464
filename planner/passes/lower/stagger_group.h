// Which cores are staggered against each other where they read the same data in different orders.
#pragma once

#include <cstddef>
#include <iterator>
#include <set>

#include "sim/hw/config/hardware.h"

namespace tilewright {

// Cores of one group go together, groups in turn: a cluster where what one core reads serves the
// others; else every core by itself. Numbered from 0.
inline int stagger_group(const Hardware& hardware, int core) {
  return hardware.shares_loads() ? hardware.cluster_of(core) : core;
}

// Of `pieces` that groups go through in a circle, evenly apart in the order of `groups`: the one that `group` begins
// with.
inline std::size_t first_piece(const std::set<int>& groups, int group, std::size_t pieces) {
  return static_cast<std::size_t>(std::distance(groups.begin(), groups.find(group))) * pieces / groups.size();
}

}  // namespace tilewright
