// The strategies on costs that are known without a chip, and the rank correlations on lists worked by hand.
#include "planner/search/order/order_search.h"

#include <gmock/gmock.h>

#include <cmath>

#include "planner/constants/constants.h"
#include "planner/search/order/list_orders.h"
#include "planner/search/order/rank_correlation.h"
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

// Predictions that are wrong by up to two in a hundred, as those of programs are.
std::vector<OrderPromise> predicted_jumps(const std::vector<NodeOrder>& orders) {
  std::vector<OrderPromise> all;
  for (const NodeOrder& order : orders) {
    const int second = order[order.size() > 1];
    all.push_back(static_cast<double>(jumps(order)) * (1 + 0.01 * (second % 3) - 0.01 * (order.back() % 3)));
  }
  return all;
}

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
      follow(*make_search(*parse_order_strategy(name), dag, counter, {predicted_jumps, 200, 3}), dag, 60);
  }));
}

TEST(ScheduleSearch, TreeSearchVisitsEveryOrderAndEnds) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(5);
    const auto search = search_mcts(dag, predicted_jumps, 1000, 11);
    RC_ASSERT(follow(*search, dag, 1000).timed == all_orders(dag));
    RC_ASSERT(!search->next().has_value());
  }));
}

TEST(ScheduleSearch, GuidedStrategiesFindWhatIsBestWithFewOrders) {
  const ScheduleDag dag = chains();
  const std::size_t orders = OrderCounter(dag).count()->convert_to<std::size_t>();
  ASSERT_EQ(orders, 34650u);
  EXPECT_EQ(
      follow(*search_beam(dag, static_cast<int>(constants().order_beam_width), predicted_jumps, 300), dag, orders / 500)
          .best,
      111);
  EXPECT_LE(follow(*search_mcts(dag, predicted_jumps, 1000, 1), dag, orders / 500).best, 113);
}

TEST(ScheduleSearch, BeamFindsEveryOrderOfASmallGraphAndEnds) {
  const ScheduleDag dag = dag_of(5, {{0, 3}, {1, 4}});
  const auto search = search_beam(dag, static_cast<int>(constants().order_beam_width), predicted_jumps, 1000);
  EXPECT_EQ(follow(*search, dag, 1000).timed, all_orders(dag));
  EXPECT_FALSE(search->next().has_value());
}

TEST(ScheduleSearch, NoMoreOrdersArePredictedThanAllowed) {
  const ScheduleDag dag = chains();
  for (const OrderStrategy strategy : {OrderStrategy::kBeam, OrderStrategy::kMcts}) {
    std::set<NodeOrder> predicted;
    const auto forecast = [&](const std::vector<NodeOrder>& orders) {
      for (const NodeOrder& order : orders) EXPECT_TRUE(predicted.insert(order).second);
      return predicted_jumps(orders);
    };
    const Found found = follow(*make_search(strategy, dag, nullptr, {forecast, 100, 1}), dag, 40);
    EXPECT_EQ(found.timed.size(), 40u);
    EXPECT_LE(predicted.size(), 101u + kListOrders);  // with the order as imported and those by list scheduling
  }
}

TEST(ScheduleSearch, OrdersThatCannotRunStandBehindAllOthers) {
  const ScheduleDag dag = dag_of(5, {});
  const auto fits = [](const NodeOrder& order) { return order.front() == 2; };
  const auto forecast = [&](const std::vector<NodeOrder>& orders) {
    auto all = predicted_jumps(orders);
    for (std::size_t i = 0; i < orders.size(); ++i)
      if (!fits(orders[i])) all[i] = OrderPromise::without_room(1);
    return all;
  };
  for (const OrderStrategy strategy : {OrderStrategy::kBeam, OrderStrategy::kMcts}) {
    const auto search = make_search(strategy, dag, nullptr, {forecast, 120, 1});
    int run = 0;
    for (int timed = 0; timed < 24; ++timed) {  // of 120, a fifth of which can run
      const NodeOrder order = search->next().value();
      search->report(order, fits(order) ? std::optional(jumps(order)) : std::nullopt);
      run += fits(order);
    }
    EXPECT_GE(run, 10) << name_of(strategy);
  }
}

// Of 5,040 orders those fit that have all even nodes in front; what an order needs grows with every one that is not.
TEST(ScheduleSearch, BeamSearchGoesWhereThereIsRoom) {
  const ScheduleDag dag = dag_of(7, {});
  const auto odd_in_front = [](const NodeOrder& order) {
    return std::count_if(order.begin(), order.begin() + 4, [](int node) { return node % 2 == 1; });
  };
  const auto forecast = [&](const std::vector<NodeOrder>& orders) {
    auto all = predicted_jumps(orders);
    for (std::size_t i = 0; i < orders.size(); ++i)
      if (odd_in_front(orders[i]) > 0)
        all[i] = OrderPromise::without_room(static_cast<double>(odd_in_front(orders[i])));
    return all;
  };
  const auto search = make_search(OrderStrategy::kBeam, dag, nullptr, {forecast, 60, 1});
  search->report(search->next().value(), std::nullopt);  // as imported
  const auto order = search->next();
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(odd_in_front(*order), 0);
}

// A budget of twelve, three of them random: no other strategy has seen those before.
TEST(ScheduleSearch, GuidedStrategiesBeginWithTheImportedOrderListSchedulingAndRandomOnes) {
  const ScheduleDag dag = chains();
  const auto counter = std::make_shared<OrderCounter>(dag);
  const auto random = search_random(dag, counter, 5);
  const auto [apart, longest, level] = list_orders(dag);
  ASSERT_EQ(apart, longest) << "the chains are equally long";
  std::vector<NodeOrder> expected{imported_order(dag), apart};
  for (int i = 0; i < 3; ++i) expected.push_back(*random->next());
  for (const OrderStrategy strategy : {OrderStrategy::kBeam, OrderStrategy::kMcts}) {
    const auto search = make_search(strategy, dag, counter, {predicted_jumps, 60, 5, 3});
    for (const NodeOrder& order : expected) EXPECT_EQ(search->next(), order);
    EXPECT_FALSE(search->next().has_value()) << "nothing has been reported";
  }
}

// The prediction prefers orders that begin with node 0, but they take a tenth longer.
TEST(OrderCandidates, LearnsWhatOrdersComeToBeyondTheirPredictions) {
  const ScheduleDag dag = dag_of(4, {});
  const auto forecast = [](const std::vector<NodeOrder>& orders) {
    std::vector<OrderPromise> all;
    for (const NodeOrder& order : orders) all.push_back(order.front() == 0 ? 99.0 : 100.0);
    return all;
  };
  OrderCandidates candidates(dag, forecast, 24);
  const auto every = all_orders(dag);
  candidates.look_at({every.begin(), every.end()});
  EXPECT_EQ(candidates.looks_left(), 0);
  const NodeOrder first{3, 2, 1, 0};
  candidates.ask(first);
  candidates.report(first, 100);
  EXPECT_EQ(candidates.promising().front().front(), 0);
  int slow = 0;
  for (int i = 0; i < 6; ++i) {
    const NodeOrder asked = candidates.ask().value();
    slow += asked.front() == 0;
    candidates.report(asked, asked.front() == 0 ? 110 : 100);
  }
  EXPECT_GE(slow, 1);
  EXPECT_LE(slow, 3);
  EXPECT_EQ(candidates.best(), first);
  EXPECT_NE(candidates.promising().front().front(), 0);
}

TEST(OrderCandidates, AsksTheImportedOrderFirstAndWaitsForReports) {
  const ScheduleDag dag = dag_of(4, {});
  OrderCandidates candidates(dag, predicted_jumps, 24);
  const auto every = all_orders(dag);
  std::vector<int> looks;
  const auto look = [&](int most) {
    looks.push_back(most);
    candidates.look_at({every.begin(), every.end()});
  };
  EXPECT_EQ(candidates.next(look), imported_order(dag));
  EXPECT_EQ(candidates.next(look), std::nullopt);  // nothing has been reported
  candidates.report(imported_order(dag), 100);
  std::vector<NodeOrder> asked;
  while (const auto order = candidates.next(look)) asked.push_back(*order);
  EXPECT_THAT(looks, testing::ElementsAre(12, 10, 10, 10));  // half of all first
  ASSERT_EQ(asked.size(), 4u);                               // under way at a time
  candidates.report(asked[0], 90);
  EXPECT_TRUE(candidates.next(look).has_value());
  EXPECT_EQ(candidates.next(look), std::nullopt);
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
