// What of a chip the run of a program can depend on.
#pragma once

#include <cstdint>

#include "sim/hw/config/hardware.h"

namespace tilewright {

// fingerprint() without what a chip costs and how much a core's buffers hold: chips for which it is equal run the same
// legal program in the same time, with the same energy. Whether a program is legal on both the verifier has compared.
std::uint64_t timing_fingerprint(const Hardware& hardware);

}  // namespace tilewright
