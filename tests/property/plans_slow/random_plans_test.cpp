#include "tests/property/random_plans.h"

namespace tilewright::test {
namespace {

TEST(RandomPlans, Many) { RandomPlans(2, 16).run(1000); }
TEST(RandomPlans, ManyOnOtherChips) { RandomPlans(3, 16).run(1000); }

}  // namespace
}  // namespace tilewright::test
