// Key nodes, parts, counts and random orders against what trying everything says.
#include <gmock/gmock.h>

#include <map>

#include "planner/search/order/order_count.h"
#include "planner/search/order/order_search.h"
#include "planner/search/order/sub_graphs.h"
#include "tests/unit/planner/search/random_dag.h"

namespace tilewright::test {
namespace {

using ::testing::ElementsAre;

TEST(ScheduleDag, KeyNodesAreTheIntersectionOfAllPaths) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(9);
    std::vector<int> common(dag.ops);
    for (const auto& path : all_paths(dag))
      std::erase_if(common, [&](int node) { return std::count(path.begin(), path.end(), node) == 0; });
    RC_ASSERT(key_nodes(dag) == common);
  }));
}

TEST(ScheduleDag, PartsAreRunsOfNodesThatCanRunOneAfterTheOther) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(14);
    const int window = *rc::gen::inRange(1, 4), least = *rc::gen::inRange(1, 6);
    const PartRules rules{window, least, *rc::gen::element<std::int64_t>(1, 10, 1'000'000), *rc::gen::inRange(4, 20)};
    const auto parts = sub_graphs(dag, rules);
    std::vector<int> joined;
    for (const auto& part : parts) {
      RC_ASSERT(!part.empty());
      joined.insert(joined.end(), part.begin(), part.end());
    }
    RC_ASSERT(joined == dag.ops);
  }));
}

// Two diamonds in a row: 0 -> {1, 2} -> 3 -> {4, 5} -> 6.
ScheduleDag diamonds() { return dag_of(7, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6}}); }

TEST(ScheduleDag, WindowsAndSmallPartsAreMerged) {
  EXPECT_THAT(key_nodes(diamonds()), ElementsAre(0, 3, 6));
  EXPECT_THAT(sub_graphs(diamonds(), {1, 1}), ElementsAre(ElementsAre(0), ElementsAre(1, 2, 3), ElementsAre(4, 5, 6)));
  EXPECT_THAT(sub_graphs(diamonds(), {1, 2}), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6)));
  EXPECT_THAT(sub_graphs(diamonds(), {2, 1}), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6)));
  EXPECT_THAT(sub_graphs(diamonds(), {9, 1}), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5, 6)));
}

// `count` blocks of three one behind the other, the first two of each in any order: 2^count orders.
ScheduleDag blocks(int count) {
  std::vector<std::pair<int, int>> edges;
  for (int block = 0; block < count; ++block)
    for (const int side : {3 * block, 3 * block + 1}) {
      edges.emplace_back(side, 3 * block + 2);
      if (block > 0) edges.emplace_back(3 * block - 1, side);
    }
  return dag_of(3 * count, edges);
}

// All parts are small. Each merge is of what has been merged so far: the orders multiply, not the sizes.
TEST(ScheduleDag, SmallPartsAreMergedAsFarAsTheResultHasFewOrders) {
  for (const auto& part : sub_graphs(blocks(20), {.min_nodes = 4, .most_orders = 8}))
    EXPECT_EQ(part.size(), part.front() == 54 ? 6u : 9u);
  EXPECT_EQ(sub_graphs(blocks(20), {.min_nodes = 4, .most_orders = 7}).size(), 10u);
  EXPECT_EQ(sub_graphs(blocks(20), {.min_nodes = 4, .most_orders = 1'048'576}).size(), 1u);
  EXPECT_EQ(sub_graphs(blocks(20), {.min_nodes = 4, .most_orders = 1'048'575}).size(), 2u);
}

// Two chains of twelve side by side, the even and the odd nodes.
TEST(ScheduleDag, PartsWithoutKeyNodesAreCutWhereFewResultsAreReadAcross) {
  std::vector<std::pair<int, int>> edges;
  for (int node = 0; node + 2 < 24; ++node) edges.emplace_back(node, node + 2);
  for (const int node : {12, 14, 16}) edges.emplace_back(node, node + 7);
  const ScheduleDag dag = dag_of(24, edges);
  EXPECT_TRUE(key_nodes(dag).empty());
  // Two results are read across up to node 14, three and more behind it.
  const auto parts = sub_graphs(dag, {.min_nodes = 1, .most_orders = 10, .most_nodes = 16});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].size(), 14u);
  EXPECT_EQ(sub_graphs(dag, {.min_nodes = 1, .most_orders = 1'000'000'000, .most_nodes = 16}).size(), 1u)
      << "all orders may be looked at";
}

TEST(ScheduleCount, CountsAndEnumeratesEveryOrderOnce) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(7);
    const auto expected = all_orders(dag);
    RC_ASSERT(*OrderCounter(dag).count() == expected.size());
    const auto search = search_all(dag);
    std::vector<NodeOrder> found;
    while (auto order = search->next()) found.push_back(*order);
    RC_ASSERT(std::is_sorted(found.begin(), found.end()));
    RC_ASSERT(std::set<NodeOrder>(found.begin(), found.end()) == expected);
    RC_ASSERT(found.size() == expected.size());
  }));
}

TEST(ScheduleCount, KnowsCountsThatNoListHolds) {
  std::vector<std::pair<int, int>> edges;
  for (int chain = 0; chain < 4; ++chain)
    for (int i = 0; i + 1 < 10; ++i) edges.emplace_back(chain * 10 + i, chain * 10 + i + 1);
  EXPECT_EQ(OrderCounter(dag_of(40, edges)).count()->str(), "4705360871073570227520");  // 40! / 10!^4
  EXPECT_TRUE(OrderCounter(dag_of(40, edges), 14'641).count().has_value());             // 11^4 ideals
  EXPECT_FALSE(OrderCounter(dag_of(40, edges), 14'640).count().has_value());
}

// Prefixes of all orders are all ideals.
TEST(ScheduleCount, GivesUpBeyondTheIdealsAllowed) {
  EXPECT_TRUE(rc::check([] {
    const ScheduleDag dag = random_dag(7);
    std::set<std::set<int>> ideals{{}};
    for (const NodeOrder& order : all_orders(dag))
      for (auto end = order.begin(); end != order.end();) ideals.emplace(order.begin(), ++end);
    RC_ASSERT(OrderCounter(dag, ideals.size()).count().has_value());
    RC_ASSERT(!OrderCounter(dag, ideals.size() - 1).count().has_value());
  }));
}

TEST(ScheduleCount, SamplesUniformly) {
  const ScheduleDag dag = dag_of(5, {{0, 1}, {2, 3}, {3, 4}});  // 10 orders; a walk would prefer some
  const OrderCounter counter(dag);
  ASSERT_EQ(*counter.count(), 10);
  RandomSource random(7);
  std::map<NodeOrder, int> seen;
  for (int i = 0; i < 10'000; ++i) ++seen[counter.sample(random)];
  EXPECT_EQ(seen.size(), 10u);
  double chi_squared = 0;
  for (const auto& [order, count] : seen) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_squared, 27.9);  // 9 degrees of freedom, 0.1 %
}

}  // namespace
}  // namespace tilewright::test
