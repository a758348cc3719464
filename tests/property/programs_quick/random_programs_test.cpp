#include "tests/property/random_programs.h"

#include "tests/support/property.h"

namespace tilewright::test {
namespace {

TEST(RandomPrograms, GiveWhatTheirMeaningSays) {
  const Property wanted = property(42, 2000);
  RandomPrograms(wanted.seed, 24).run(wanted.cases);
}

}  // namespace
}  // namespace tilewright::test
