// The strategies on costs that are known without a chip, and the rank correlations on lists worked by hand.
#include "planner/search/schedule/schedule_search.h"

#include <gmock/gmock.h>

#include <cmath>

#include "planner/search/schedule/schedule_rank.h"
#include "tests/unit/planner/search/random_dag.h"

namespace tilewright::test {
namespace {

// Each step costs the distance between the numbers of neighbours: the best orders finish one chain after the other.
Cycles jumps(const NodeOrder& order) {
  Cycles cost = 100;
  for (std::size_t i = 1; i < order.size(); ++i) cost += std::abs(order[i] - order[i - 1]);
  return cost;
}

ScheduleDag chains() { return dag_of(12, {{0, 1}, {1, 2}, {2, 3}, {4, 5}, {5, 6}, {6, 7}, {8, 9}, {9, 10}, {10, 11}}); }

struct Found {
  Cycles best = kNeverCycle;
  std::set<NodeOrder> timed;
};

Found follow(OrderSearch& search, const ScheduleDag& dag, std::size_t budget) {
  Found found;
  for (int stale = 0; found.timed.size() < budget && stale < 1000;) {
    const auto order = search.next();
    if (!order) break;
    RC_ASSERT(is_topological(dag, *order));
    stale = found.timed.insert(*order).second ? 0 : stale + 1;
    found.best = std::min(found.best, jumps(*order));
    search.report(*order, jumps(*order));
  }
  return found;
}

TEST(ScheduleSearch, EveryStrategyProposesTopologicalOrders) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(8);
    const auto counter = std::make_shared<OrderCounter>(dag);
    for (const char* name : {"all", "random", "beam", "mcts"})
      follow(*make_search(*parse_order_strategy(name), dag, counter, 3), dag, 60);
  }));
}

TEST(ScheduleSearch, TreeSearchVisitsEveryOrderAndEnds) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(5);
    const auto search = search_mcts(dag, 11);
    RC_ASSERT(follow(*search, dag, 1000).timed == all_orders(dag));
    RC_ASSERT(!search->next().has_value());
  }));
}

TEST(ScheduleSearch, GuidedStrategiesFindWhatIsBestWithFewOrders) {
  const ScheduleDag dag = chains();
  const std::size_t orders = OrderCounter(dag).count()->convert_to<std::size_t>();
  ASSERT_EQ(orders, 34650u);
  EXPECT_EQ(follow(*search_beam(dag, kBeamWidth), dag, orders / 10).best, 111);
  EXPECT_LE(follow(*search_mcts(dag, 1), dag, orders / 10).best, 113);
}

TEST(ScheduleSearch, OrdersThatCannotRunStandBehindAllOthers) {
  const ScheduleDag dag = dag_of(3, {});
  const auto search = search_beam(dag, 1);
  NodeOrder last;
  while (const auto order = search->next()) {
    search->report(*order, order->front() == 2 ? std::optional<Cycles>(9) : std::nullopt);
    last = *order;
  }
  EXPECT_EQ(last.front(), 2);
}

TEST(ScheduleRank, AgreesWithListsWorkedByHand) {
  const auto mixed = rank_correlation({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5});
  EXPECT_NEAR(mixed->spearman, 0.8, 1e-12);  // 1 - 6 * 4 / (5 * 24)
  EXPECT_NEAR(mixed->kendall, 0.6, 1e-12);   // 8 pairs agree, 2 do not
  const auto ties = rank_correlation({1, 1, 2}, {10, 20, 30});
  EXPECT_NEAR(ties->spearman, std::sqrt(0.75), 1e-12);
  EXPECT_NEAR(ties->kendall, 2 / std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(rank_correlation({1, 2, 3}, {9, 5, 1})->spearman, -1, 1e-12);
  EXPECT_FALSE(rank_correlation({1, 1, 1}, {1, 2, 3}).has_value());
}

}  // namespace
}  // namespace tilewright::test
