#include "tests/property/random_plans.h"

#include "tests/property/random_chains.h"
#include "tests/property/random_points.h"
#include "tests/property/random_transposes.h"

namespace tilewright::test {
namespace {

TEST(RandomPlans, Few) { RandomPlans(1, 8).run(64); }
TEST(RandomChains, Few) { RandomChains(11, 8).run(64); }
TEST(RandomTransposes, Few) { RandomTransposes(21, 8).run(64); }
TEST(RandomPoints, BoundsOfAFewHundredAreNeverAboveTheMeasuredCost) { RandomPoints(5, 8).run(40, 10); }

}  // namespace
}  // namespace tilewright::test
