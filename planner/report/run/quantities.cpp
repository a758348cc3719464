#include "planner/report/run/quantities.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"

namespace tilewright {

namespace {

// Below 0, a share that is 1 less the others may be so much.
constexpr double kRounding = 1e-6;

}  // namespace

void check_quantities(const nlohmann::ordered_json& json, const std::string& path) {
  if (path == "values" || path.ends_with("_gain_percent")) return;
  if (json.is_structured()) {
    for (const auto& [key, part] : json.items()) check_quantities(part, path.empty() ? key : path + "." + key);
    return;
  }
  if (!json.is_number()) return;
  const double value = json.get<double>();
  SIM_CHECK(std::isfinite(value) && value >= -kRounding, "the report's figure '{}' is {}", path, value);
}

}  // namespace tilewright
