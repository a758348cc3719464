// A hardware file as text -> HardwareConfig (as written) -> Hardware (resolved) -> text again.
#pragma once

#include <set>
#include <string>

#include "sim/hw/config/hardware.h"
#include "sim/hw/config/hardware_config.h"

namespace tilewright {

// Reading: only what a single key can tell is checked here, its name, its type and its domain (hardware_fields.h).
// Everything else is the business of resolve().
//
// Throws UserError when the file is unreadable or no YAML; other problems are left in HardwareConfig::problems.
HardwareConfig read_hardware(const std::string& path);
// `name` stands for the file in messages.
HardwareConfig read_hardware_text(const std::string& text, const std::string& name);

// Full paths of every key a hardware file may contain.
std::set<std::string> hardware_keys();
// What the number of a key may be, e.g. "1 to 4096".
std::string hardware_domain(const std::string& path);

// HardwareConfig -> Hardware: fills defaults, converts units once, checks every value against the others, and reports
// all problems of a file together.
//
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
