#include "tests/property/random_copy_runs.h"

namespace tilewright::test {
namespace {

// The figures of 100,000 cases stand in docs/strided_copy.md.
TEST(RandomCopies, Many) {
  const Property wanted = property(2, 10000);
  RandomCopies copies(wanted.seed);
  copies.run(wanted.cases);
  copies.expect_a_fair_sample();
  const auto& ways = copies.by_direction;
  fmt::print("{} copies of {} elements: {} boxes of {} runs; no method moves fewer runs than {}; {} more refused\n",
             copies.moved, copies.elements, copies.boxes, copies.runs_of_boxes, copies.runs, copies.refused);
  fmt::print("{} reorders, {} gathers, {} scatters, {} between two views\n", ways[0], ways[1], ways[2], ways[3]);
}

TEST(RandomCopyRuns, Many) {
  const Property wanted = property(6, 10000);
  const int copies = run_random_copies(wanted.seed, 600, wanted.cases);
  EXPECT_GT(copies, wanted.cases * 9 / 10);
  fmt::print("{} of {} copies simulated, every byte as expected; the others write a place twice\n", copies,
             wanted.cases);
}

TEST(RandomCopyRuns, Large) {
  const Property wanted = property(7, 300);
  run_random_copies(wanted.seed, 20000, wanted.cases);
}

TEST(RandomCopyRuns, BothWays) {
  const Property wanted = property(4, 300);
  measure_random_copies(wanted.seed, 20000, wanted.cases);
}

}  // namespace
}  // namespace tilewright::test
