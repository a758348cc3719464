// Hardware -> the HardwareConfig that resolves to it, with every key written.
#pragma once

#include "sim/hw/config/hardware.h"
#include "sim/hw/config/hardware_config.h"

namespace tilewright {

HardwareConfig to_config(const Hardware& hardware);

}  // namespace tilewright
