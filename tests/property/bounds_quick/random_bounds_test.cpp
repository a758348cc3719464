#include "tests/property/random_bounds.h"

namespace tilewright::test {
namespace {

TEST(RandomBounds, OfAFewHundredPlansNoneIsAboveTheMeasurement) { run_random_bounds(11, 40, 400); }

}  // namespace
}  // namespace tilewright::test
