// Products that formulas put into one group: they stay apart where the network is measured to be faster so.
#include <gmock/gmock.h>

#include "planner/measure/measure.h"
#include "planner/search/tiling/plan_network.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

using testing::IsEmpty;

// Cores of a cluster read weights from DRAM once, and what is between products stays in their cluster: formulas count
// neither. Walked by rows, the products take few columns at a time. Rows lie behind one another: with gaps formulas
// keep the products apart themselves.
TEST(GroupsApart, ProductsAreWhereTheNetworkIsFasterSo) {
  Session session(load_hardware(TILEWRIGHT_SOURCE_DIR "/tests/unit/planner/search/six_cores_with_cache.yaml"));
  const Graph graph = gated_layer({512}, 256, 768);
  const PlanOptions options{.row_gaps = false};
  const Plan by_formulas = make_plan(graph, session.hardware(), options);
  ASSERT_EQ(by_formulas.groups.size(), 1u);
  const Plan chosen = plan_network(graph, session.hardware(), options);
  EXPECT_THAT(chosen.groups, IsEmpty());
  EXPECT_LT(measure(session, chosen).cycles, measure(session, by_formulas).cycles);
}

}  // namespace
}  // namespace tilewright::test
