#include "tests/property/random_points.h"

namespace tilewright::test {
namespace {

TEST(RandomPoints, BoundsAreNeverAboveTheMeasuredCost) { RandomPoints(6, 16).run(300, 20); }
TEST(RandomPoints, BoundsAreNeverAboveTheMeasuredCostOnOtherChips) { RandomPoints(7, 16).run(300, 20); }

}  // namespace
}  // namespace tilewright::test
