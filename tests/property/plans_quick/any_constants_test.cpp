// The planner's constants decide how fast a plan is, never whether it is legal: at the ends of every range plans are
// made, run and compute the right values, or do not fit the chip's memories.
#include <algorithm>
#include <array>

#include "planner/constants/constant_table.h"
#include "tests/property/random_plans.h"

namespace tilewright::test {
namespace {

bool belongs_to_a_search(std::string_view name) {
  return std::ranges::any_of(std::array{"tiling_", "order_", "database_", "study_"},
                             [&](const char* search) { return name.starts_with(search); });
}

void set_to(const Constant& constant, double value) {
  const bool whole = std::holds_alternative<std::int64_t Constants::*>(constant.member);
  set_constants(whole ? fmt::format("{}={}", constant.name, static_cast<std::int64_t>(value))
                      : fmt::format("{}={}", constant.name, value),
                "test");
}

TEST(AnyConstants, PlansAreLegalAtTheEndsOfEveryRange) {
  const Property wanted = property(7, 4);
  RandomPlans plans(wanted.seed, 6);
  for (const Constant& constant : constant_table()) {
    if (belongs_to_a_search(constant.name)) continue;
    for (const double value : {constant.least, constant.most}) {
      SCOPED_TRACE(fmt::format("{} = {}", constant.name, value));
      set_to(constant, value);
      plans.draw(wanted.cases);
      set_to(constant, value_of(constant, {}));
    }
  }
  plans.expect_most_planned();
}

}  // namespace
}  // namespace tilewright::test
