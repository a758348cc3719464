// What a search or a choice makes small.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright {

enum class Objective : std::uint8_t { kCycles, kEnergy, kEdp };
std::string_view name_of(Objective objective);  // "cycles" "energy" "edp"
// UserError naming `where` for an unknown name.
Objective parse_objective(std::string_view name, const std::string& where);

}  // namespace tilewright
