#include "tests/property/random_plans.h"

#include "tests/property/random_chains.h"
#include "tests/property/random_points.h"
#include "tests/property/random_transposes.h"

namespace tilewright::test {
namespace {

TEST(RandomPlans, Many) { RandomPlans(2, 16).run(1000); }
TEST(RandomPlans, ManyOnOtherChips) { RandomPlans(3, 16).run(1000); }
TEST(RandomChains, Many) { RandomChains(12, 16).run(1000); }
TEST(RandomTransposes, Many) { RandomTransposes(22, 16).run(1000); }
TEST(RandomPoints, BoundsAreNeverAboveTheMeasuredCost) { RandomPoints(6, 16).run(300, 20); }
TEST(RandomPoints, BoundsAreNeverAboveTheMeasuredCostOnOtherChips) { RandomPoints(7, 16).run(300, 20); }

}  // namespace
}  // namespace tilewright::test
