#include "tests/property/random_copy_runs.h"

namespace tilewright::test {
namespace {

TEST(RandomCopies, Few) {
  const Property wanted = property(1, 2000);
  RandomCopies copies(wanted.seed);
  copies.run(wanted.cases);
  copies.expect_a_fair_sample();
}

TEST(RandomCopyRuns, Few) {
  const Property wanted = property(3, 500);
  EXPECT_GT(run_random_copies(wanted.seed, 600, wanted.cases), wanted.cases * 9 / 10);
}

TEST(RandomCopyRuns, BothWays) {
  const Property wanted = property(5, 60);
  measure_random_copies(wanted.seed, 600, wanted.cases);
}

}  // namespace
}  // namespace tilewright::test
