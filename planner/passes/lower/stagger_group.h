// Which cores are staggered against each other where they read the same data in different orders.
#pragma once

#include "sim/hw/config/hardware.h"

namespace tilewright {

// Cores of one group go together, groups in turn: a cluster where what one core reads serves the
// others; else every core by itself. Numbered from 0.
inline int stagger_group(const Hardware& hardware, int core) {
  return hardware.shares_loads() ? hardware.cluster_of(core) : core;
}

}  // namespace tilewright
