// What simulating a chip takes of the memory of the machine that simulates it: known before anything is built.
#pragma once

#include <string>
#include <vector>

#include "sim/hw/config/hardware.h"

namespace tilewright {

struct HostMemoryPart {
  std::string key;  // of the hardware file, the one that made it so large
  double bytes = 0;
};

// Without values, programs and the plan. An estimate, within a factor of two of what was measured (host_memory.cpp).
std::vector<HostMemoryPart> host_memory(const Hardware& hardware);

// A chip that takes more is refused by resolve(). Of this process; 4 GiB unless set.
void set_host_memory_limit(double bytes);
double host_memory_limit();

}  // namespace tilewright
