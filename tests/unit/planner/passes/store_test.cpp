// Results between operators that stay in cluster memory: where they lie is what their labels say, and values are right.
#include <gmock/gmock.h>

#include "planner/ir/access.h"
#include "planner/ir/label_check.h"
#include "planner/ir/memory_sharing.h"
#include "sim/base/error.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// Products of `size` x `size`, each of the result of the one before it.
Graph chain_of(int products, std::int64_t size) {
  return product_chain(size, std::vector<std::int64_t>(products + 1, size));
}

// A cluster of four cores whose programs address so many bytes.
Hardware one_cluster(Bytes addressed) {
  Hardware hardware = chip({"tpu_v4_like_cache.yaml"});
  hardware.cluster_memory->capacity = 2 * addressed;
  hardware.cluster_memory->ways = 2;
  hardware.cluster_memory->addressed_ways = 1;
  return hardware;
}

PlanOptions with(const std::vector<StoreChoice::Row>& rows) {
  PlanOptions options{.group = Grouping::kNone};
  options.stores = StoreChoice{rows};
  return options;
}

Store store_of(const Plan& plan, const char* tensor) {
  return plan.labels[*plan.graph.find_tensor(tensor)].dynamic.store;
}

// Bytes that the program moves to and from cluster memory.
Bytes cluster_bytes(const Plan& plan) {
  Bytes bytes = 0;
  const auto traffic = expect_labels_hold(plan);
  for (TensorId id = 0; id < std::ssize(traffic); ++id)
    if (lies_in_cluster_memory(plan, id)) bytes += traffic[id].written + traffic[id].read;
  return bytes;
}

std::string refusal(const Graph& graph, const Hardware& hardware, const StoreChoice::Row& row) {
  try {
    make_plan(graph, hardware, with({row}));
  } catch (const UserError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Stores, ResultsBetweenProductsStayInTheirCluster) {
  const Plan plan = make_plan(chain_of(4, 256), one_cluster(1 << 20), {.group = Grouping::kNone});
  for (const char* tensor : {"p1.out", "p2.out", "p3.out"})
    EXPECT_EQ(store_of(plan, tensor), (Store{StoreLevel::kCluster, 1})) << tensor;
  for (const char* tensor : {"x0", "w1", "p4.out"}) EXPECT_EQ(store_of(plan, tensor), Store{}) << tensor;
  EXPECT_GE(cluster_bytes(plan), 3 * 2 * 256 * 256 * 2);
  expect_values(plan);
}

TEST(Stores, AreChangedByTheirLabels) {
  const Graph graph = chain_of(3, 64);
  const Hardware hardware = one_cluster(1 << 20);
  const Plan dram = make_plan(graph, hardware, with({})),
             first = make_plan(graph, hardware, with({{{"p1.out"}, {StoreLevel::kCluster}}})),
             both = make_plan(graph, hardware, with({{{"p1.out", "p2.out"}, {StoreLevel::kCluster, 1}}})),
             back = make_plan(graph, hardware, with({{{"p1.out", "p2.out"}, {StoreLevel::kMem}}}));
  EXPECT_EQ(cluster_bytes(dram), 0);
  EXPECT_GT(cluster_bytes(first), 0);
  EXPECT_GT(cluster_bytes(both), cluster_bytes(first));
  EXPECT_NE(first.program, dram.program);
  EXPECT_NE(first.program, both.program);
  EXPECT_EQ(back.program, dram.program);
  for (const Plan* plan : {&dram, &first, &both}) expect_values(*plan);
}

// The first of three results is needed until the second is there, so that two of them have to fit.
TEST(Stores, LieAboveOneAnotherAsFarAsTheMemoryReaches) {
  const Graph graph = chain_of(4, 64);
  const Bytes each = 64 * 64 * 2;
  const StoreChoice::Row all{{"p1.out", "p2.out", "p3.out"}, {StoreLevel::kCluster, 1}, "stores.yaml:2"};
  const Plan apart = make_plan(graph, one_cluster(3 * each), with({all}));
  EXPECT_FALSE(tensors_sharing_memory(apart)[*graph.find_tensor("p1.out")]);
  expect_values(apart);
  const Plan shared = make_plan(graph, one_cluster(2 * each), with({all}));
  EXPECT_TRUE(tensors_sharing_memory(shared)[*graph.find_tensor("p1.out")]);
  EXPECT_FALSE(tensors_sharing_memory(shared)[*graph.find_tensor("p2.out")]);
  expect_values(shared);
  EXPECT_EQ(refusal(graph, one_cluster(2 * each - 256), all),
            "stores.yaml:2: store: 'tpu_v4_like_cache' has no room for 'p2.out' in 'cluster1': 8192 bytes beside what "
            "is there at the same time, of 16128");
}

TEST(Stores, AutomaticOnesTakeWhatFits) {
  const Bytes each = 256 * 256 * 2;
  const auto kept = [&](Bytes room) {
    const Plan plan = make_plan(chain_of(4, 256), one_cluster(room), {.group = Grouping::kNone});
    expect_values(plan);
    int count = 0;
    for (const char* tensor : {"p1.out", "p2.out", "p3.out"})
      count += store_of(plan, tensor).level == StoreLevel::kCluster ? 1 : 0;
    return count;
  };
  EXPECT_EQ(kept(each - 256), 0);
  EXPECT_EQ(kept(each), 2);  // the first and the third
  EXPECT_EQ(kept(2 * each), 3);
}

// Every cluster of four computes a quarter of the rows of all products.
TEST(Stores, PiecesLieInTheClustersThatWriteThem) {
  const Hardware hardware = chip({"quad_smp_cache.yaml"});
  const Plan plan = make_plan(chain_of(3, 256), hardware, with({{{"p1.out"}, {StoreLevel::kCluster}}}));
  const auto& pieces = plan.tensors[*plan.graph.find_tensor("p1.out")].pieces;
  ASSERT_EQ(pieces.size(), 4U);
  for (int cluster = 0; cluster < 4; ++cluster) EXPECT_EQ(pieces[cluster].cluster, cluster);
  expect_values(plan);
}

TEST(Stores, AnotherClustersMemoryIsReadThroughTheNetwork) {
  const Hardware hardware = chip({"label_example_cache.yaml"});
  const Plan plan = make_plan(chain_of(3, 32), hardware, with({{{"p1.out"}, {StoreLevel::kCluster, 2}}}));
  EXPECT_EQ(plan.tensors[*plan.graph.find_tensor("p1.out")].pieces.front().cluster, 1);
  EXPECT_GT(cluster_bytes(plan), 0);
  expect_values(plan);
}

TEST(Stores, GoToWhatTheMemoryOfPartialResultsLeaves) {
  Hardware hardware = chip({"label_example_cache.yaml"});
  const Plan plan = make_plan(chain_of(3, 96), hardware, {.group = Grouping::kNone, .parallel = Parallel::kModel});
  expect_values(plan);
}

// Counted on as its first kind, whose clusters have memory, the chip still has others without.
TEST(Stores, LieInNoClusterThatHasNoMemory) {
  const Hardware hardware = chip({"big_little.yaml"}).counting_on(0);
  PlanOptions options{.group = Grouping::kNone};
  Split split{{}, "rows"};
  for (int core = 0; core < 16; ++core) split.items.push_back({core, {{16 * core, 16 * core + 16}, {0, 256}}, {}});
  options.choices = {{0, split, {}}, {1, split, {}}};
  options.cores = 8;
  const Plan plan = make_plan(chain_of(2, 256), hardware, options);
  EXPECT_EQ(store_of(plan, "p1.out"), Store{});
  expect_values(plan);
}

TEST(Stores, RefuseWhatTheChipOrTheNetworkLacks) {
  const Graph graph = chain_of(2, 32);
  const Hardware cache = chip({"label_example_cache.yaml"});
  const auto row = [](const char* tensor, int number) {
    return StoreChoice::Row{{tensor}, {StoreLevel::kCluster, number}, "stores.yaml:2"};
  };
  EXPECT_EQ(refusal(graph, chip(), row("p1.out", 1)),
            "stores.yaml:2: store: got 'cluster1', but 'quad_smp' has no addressed cluster memory");
  EXPECT_EQ(refusal(graph, cache, row("p1.out", 3)),
            "stores.yaml:2: store: got 'cluster3', but 'label_example_cache' has 2 clusters");
  EXPECT_EQ(refusal(graph, cache, row("nobody", 0)),
            "stores.yaml:2: the network, as folded and fused, has no tensor 'nobody'");
  for (const char* tensor : {"x0", "w1", "p2.out"})
    EXPECT_EQ(refusal(graph, cache, row(tensor, 0)),
              std::string("stores.yaml:2: '") + tensor + "' is no result between operators: it lies in DRAM");
}

// The verifier is no echo of the placement: a label that says something else is found.
TEST(Stores, TheVerifierComparesLabelsWithAddresses) {
  Plan plan = make_plan(chain_of(3, 64), one_cluster(1 << 20), with({{{"p1.out"}, {StoreLevel::kCluster, 1}}}));
  EXPECT_NO_THROW(expect_labels_hold(plan));
  Store& kept = plan.labels[*plan.graph.find_tensor("p1.out")].dynamic.store;
  for (const Store& wrong : {Store{}, Store{StoreLevel::kCluster, 2}}) {
    kept = wrong;
    EXPECT_THROW(expect_labels_hold(plan), InternalError) << to_text(wrong);
  }
  kept = {StoreLevel::kCluster, 1};
  plan.labels[*plan.graph.find_tensor("p2.out")].dynamic.store = {StoreLevel::kCluster};
  EXPECT_THROW(expect_labels_hold(plan), InternalError);
}

}  // namespace
}  // namespace tilewright::test
