// HardwareConfig -> Hardware: fills defaults, converts units once, checks every value against the others, and reports
// all problems of a file together.
#pragma once

#include <string>

#include "sim/hw/config/hardware.h"
#include "sim/hw/config/hardware_config.h"

namespace tilewright {

// Throws UserError with every problem, each `file:line: key.path: got 'x', expected ...`.
Hardware resolve(const HardwareConfig& config);
// read_hardware() and resolve().
Hardware load_hardware(const std::string& path);
Hardware load_hardware_text(const std::string& text, const std::string& name);

// Every field as a hardware file: reading it again gives the same Hardware.
std::string to_yaml(const Hardware& hardware);
// Hash (FNV-1a) of to_yaml() without the names of chip and DRAM preset: equal for chips that cannot be told apart by a
// program.
std::uint64_t fingerprint(const Hardware& hardware);

}  // namespace tilewright
