// Hardware -> the HardwareConfig that resolves to it, with every key written.
#pragma once

#include "sim/hw/hardware.h"
#include "sim/hw/hardware_config.h"

namespace tilewright {

HardwareConfig describe(const Hardware& hardware);

}  // namespace tilewright
