#include "tests/property/random_copy_runs.h"

namespace tilewright::test {
namespace {

TEST(RandomCopies, Few) {
  RandomCopies copies(1);
  copies.run(2000);
  copies.expect_a_fair_sample();
}

TEST(RandomCopyRuns, Few) { EXPECT_GT(run_random_copies(3, 600, 500), 450); }

TEST(RandomCopyRuns, BothWays) { measure_random_copies(5, 600, 60); }

}  // namespace
}  // namespace tilewright::test
