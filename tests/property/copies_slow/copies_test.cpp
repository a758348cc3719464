#include "tests/property/random_copy_runs.h"

namespace tilewright::test {
namespace {

// The figures stand in docs/strided_copy.md.
TEST(RandomCopies, HundredThousand) {
  RandomCopies copies(2);
  copies.run(100000);
  copies.expect_a_fair_sample();
  fmt::print("{} copies of {} elements: {} boxes of {} runs; no method moves fewer runs than {}; {} more refused\n",
             copies.moved, copies.elements, copies.boxes, copies.runs_of_boxes, copies.runs, copies.refused);
}

TEST(RandomCopyRuns, Many) { run_random_copies(4, 20000, 300); }

}  // namespace
}  // namespace tilewright::test
