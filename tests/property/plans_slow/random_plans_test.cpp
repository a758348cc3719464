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

TEST(RandomPlans, Many) { run_random<RandomPlans>(2, 24, 600); }
TEST(RandomPlans, ManyOnOtherChips) { run_random<RandomPlans>(3, 24, 600); }
TEST(RandomChains, Many) { run_random<RandomChains>(12, 16, 180); }
TEST(RandomConcats, Many) { run_random<RandomConcats>(62, 16, 180); }
TEST(RandomHandOns, Many) { run_random<RandomHandOns>(92, 16, 400); }
TEST(RandomRowReductions, Many) { run_random<RandomRowReductions>(82, 16, 180); }
TEST(RandomSharedHeads, Many) { run_random<RandomSharedHeads>(84, 16, 180); }
TEST(RandomSiblings, Many) { run_random<RandomSiblings>(52, 16, 180); }
TEST(RandomSpills, Many) { run_random<RandomSpills>(96, 16, 400); }
TEST(RandomStores, Many) { run_random<RandomStores>(33, 10, 100); }
TEST(RandomGates, Many) { run_random<RandomGates>(72, 16, 180); }
TEST(RandomTransposes, Many) { run_random<RandomTransposes>(22, 16, 180); }
TEST(RandomWindowChains, Many) { run_random<RandomWindowChains>(42, 16, 180); }
TEST(RandomWindows, Many) { run_random<RandomWindows>(32, 24, 200); }
TEST(RandomPoints, BoundsAreNeverAboveTheMeasuredCost) { run_random<RandomPoints>(6, 16, 100, 20); }
TEST(RandomPoints, BoundsAreNeverAboveTheMeasuredCostOnOtherChips) { run_random<RandomPoints>(7, 16, 100, 20); }

}  // namespace
}  // namespace tilewright::test
