#include "planner/ir/objective.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 3> kObjectiveNames{"cycles", "energy", "edp"};

}  // namespace

std::string_view name_of(Objective objective) { return kObjectiveNames[static_cast<int>(objective)]; }

Objective parse_objective(std::string_view name, const std::string& where) {
  for (std::size_t i = 0; i < kObjectiveNames.size(); ++i)
    if (kObjectiveNames[i] == name) return static_cast<Objective>(i);
  throw UserError(where, fmt::format("got '{}', expected {}", name, fmt::join(kObjectiveNames, "|")));
}

}  // namespace tilewright
