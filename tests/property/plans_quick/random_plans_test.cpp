#include "tests/property/random_plans.h"

namespace tilewright::test {
namespace {

TEST(RandomPlans, Few) { RandomPlans(1, 8).run(64); }

}  // namespace
}  // namespace tilewright::test
