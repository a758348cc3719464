#include "tests/property/random_copies.h"

namespace tilewright::test {
namespace {

TEST(RandomCopies, Few) {
  RandomCopies copies(1);
  copies.run(2000);
  copies.expect_a_fair_sample();
}

}  // namespace
}  // namespace tilewright::test
