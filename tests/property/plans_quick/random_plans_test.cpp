#include "tests/property/random_plans.h"

#include "tests/property/random_chains.h"
#include "tests/property/random_concats.h"
#include "tests/property/random_gates.h"
#include "tests/property/random_hand_ons.h"
#include "tests/property/random_points.h"
#include "tests/property/random_row_reductions.h"
#include "tests/property/random_shared_heads.h"
#include "tests/property/random_siblings.h"
#include "tests/property/random_spills.h"
#include "tests/property/random_stores.h"
#include "tests/property/random_transposes.h"
#include "tests/property/random_window_chains.h"
#include "tests/property/random_windows.h"

namespace tilewright::test {
namespace {

TEST(RandomPlans, Few) { run_random<RandomPlans>(1, 8, 64); }
TEST(RandomPlans, OfEightBitFloats) {
  const Property wanted = property(8, 48);
  RandomPlans plans(wanted.seed, 6);
  plans.draw_types({DataType::kFp8E4m3, DataType::kFp8E5m2});
  plans.run(wanted.cases);
}
TEST(RandomChains, Few) { run_random<RandomChains>(11, 8, 64); }
TEST(RandomConcats, Few) { run_random<RandomConcats>(61, 8, 64); }
TEST(RandomGates, Few) { run_random<RandomGates>(71, 8, 64); }
TEST(RandomHandOns, Few) { run_random<RandomHandOns>(91, 8, 64); }
TEST(RandomTransposes, Few) { run_random<RandomTransposes>(21, 8, 64); }
TEST(RandomWindowChains, Few) { run_random<RandomWindowChains>(41, 8, 64); }
TEST(RandomWindows, Few) { run_random<RandomWindows>(31, 12, 96); }
TEST(RandomRowReductions, Few) { run_random<RandomRowReductions>(81, 8, 64); }
TEST(RandomSharedHeads, Few) { run_random<RandomSharedHeads>(83, 8, 64); }
TEST(RandomSiblings, Few) { run_random<RandomSiblings>(51, 8, 64); }
TEST(RandomSpills, Few) { run_random<RandomSpills>(95, 8, 64); }
TEST(RandomStores, Few) { run_random<RandomStores>(31, 10, 30); }
TEST(RandomPoints, BoundsOfAFewHundredAreNeverAboveTheMeasuredCost) { run_random<RandomPoints>(5, 8, 40, 10); }

}  // namespace
}  // namespace tilewright::test
