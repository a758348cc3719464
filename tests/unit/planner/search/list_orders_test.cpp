// Orders by list scheduling, on graphs worked by hand and on random ones.
#include "planner/search/order/list_orders.h"

#include <gmock/gmock.h>

#include "tests/unit/planner/search/random_dag.h"

namespace tilewright::test {
namespace {

using testing::ElementsAre;

TEST(ListOrders, ReadersStandApartFromWhatTheyRead) {
  const ScheduleDag chains = dag_of(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}});
  for (const NodeOrder& order : list_orders(chains)) EXPECT_THAT(order, ElementsAre(0, 3, 1, 4, 2, 5));
}

// Of the two chains the second is longer; node 6 hangs on nothing.
TEST(ListOrders, OneRulePutsTheLongestPathFirst) {
  const ScheduleDag dag = dag_of(7, {{0, 1}, {2, 3}, {3, 4}, {4, 5}});
  const auto [apart, longest, level] = list_orders(dag);
  EXPECT_THAT(apart, ElementsAre(0, 2, 6, 1, 3, 4, 5));
  EXPECT_THAT(longest, ElementsAre(2, 0, 6, 3, 1, 4, 5));
  EXPECT_THAT(level, ElementsAre(0, 2, 6, 1, 3, 4, 5));
}

// Node 5 reads node 0 alone, node 4 the last of a chain: by levels 5 waits for nobody, apart it stands behind the
// chain's beginning.
TEST(ListOrders, LevelsAreThoseOfTheLongestPathToANode) {
  const ScheduleDag dag = dag_of(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 5}});
  EXPECT_THAT(list_orders(dag)[2], ElementsAre(0, 1, 5, 2, 3, 4));
}

TEST(ListOrders, AreTopological) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(12);
    for (const NodeOrder& order : list_orders(dag)) RC_ASSERT(is_topological(dag, order));
  }));
}

}  // namespace
}  // namespace tilewright::test
