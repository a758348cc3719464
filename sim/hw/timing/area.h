// Silicon area and price of a chip, from the per-component figures of its hardware file.
#pragma once

#include <string>
#include <vector>

#include "sim/hw/config/hardware.h"

namespace tilewright {

struct ComponentArea {
  std::string component;
  double mm2 = 0;
};

// Of all cores, clusters, routers and channels; components without a figure in the file have 0 mm2. A `simple` network
// has no routers.
std::vector<ComponentArea> areas_of(const Hardware& hardware);
double area_mm2(const Hardware& hardware);
// Silicon and memory devices, in the currency of the file's figures.
double cost_of(const Hardware& hardware);

// Buffers of all cores and cluster memories.
Bytes on_chip_bytes(const Hardware& hardware);
// Multiply-adds per core clock of all arrays, at a rate of 1.
std::int64_t multiply_adds_per_cycle(const Hardware& hardware);
// At the rate of a type.
double multiply_adds_per_cycle(const Hardware& hardware, DataType type);

}  // namespace tilewright
