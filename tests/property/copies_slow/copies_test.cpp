#include "tests/property/random_copy_runs.h"

namespace tilewright::test {
namespace {

// The figures of 100,000 cases stand in docs/strided_copy.md.
TEST(RandomCopies, Many) {
  RandomCopies copies(2);
  copies.run(copy_cases(20000));
  copies.expect_a_fair_sample();
  const auto& ways = copies.by_direction;
  fmt::print("{} copies of {} elements: {} boxes of {} runs; no method moves fewer runs than {}; {} more refused\n",
             copies.moved, copies.elements, copies.boxes, copies.runs_of_boxes, copies.runs, copies.refused);
  fmt::print("{} reorders, {} gathers, {} scatters, {} between two views\n", ways[0], ways[1], ways[2], ways[3]);
}

TEST(RandomCopyRuns, Many) {
  const int cases = copy_cases(20000), copies = run_random_copies(6, 600, cases);
  EXPECT_GT(copies, cases * 9 / 10);
  fmt::print("{} of {} copies simulated, every byte as expected; the others write a place twice\n", copies, cases);
}

TEST(RandomCopyRuns, Large) { run_random_copies(7, 20000, 300); }

TEST(RandomCopyRuns, BothWays) { measure_random_copies(4, 20000, 300); }

}  // namespace
}  // namespace tilewright::test
