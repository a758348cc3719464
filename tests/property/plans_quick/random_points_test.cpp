#include "tests/property/random_points.h"

namespace tilewright::test {
namespace {

TEST(RandomPoints, BoundsOfAFewHundredAreNeverAboveTheMeasuredCost) { RandomPoints(5, 8).run(40, 10); }

}  // namespace
}  // namespace tilewright::test
