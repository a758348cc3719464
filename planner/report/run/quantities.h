// What every report is held against before it leaves the program.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilewright {

// InternalError naming the first number that is no quantity, infinite, no number at all or below 0, of what stands
// below `path`. A gain may be a loss, and the error of wrong values is whatever it is.
void check_quantities(const nlohmann::ordered_json& json, const std::string& path);

}  // namespace tilewright
