// The kernel's time as the parts of the chip count it.
#pragma once

#include <systemc>

#include "sim/base/units.h"

namespace tilewright {

inline Picoseconds kernel_now() { return static_cast<Picoseconds>(sc_core::sc_time_stamp().value()); }

}  // namespace tilewright
