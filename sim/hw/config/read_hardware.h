// A hardware file as text -> HardwareConfig. Only what a single key can tell is checked here: its name, its type and
// membership in a closed set. Everything else is the business of resolve().
#pragma once

#include <set>
#include <string>

#include "sim/hw/config/hardware_config.h"

namespace tilewright {

// Throws UserError when the file is unreadable or no YAML; other problems are left in HardwareConfig::problems.
HardwareConfig read_hardware(const std::string& path);
// `name` stands for the file in messages.
HardwareConfig read_hardware_text(const std::string& text, const std::string& name);

// Full paths of every key a hardware file may contain.
std::set<std::string> hardware_keys();

}  // namespace tilewright
