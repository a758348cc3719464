// Maxima, sums and means of the rows that a product makes, formed on the core before the rows leave it.
#include "planner/ir/follower.h"
#include "planner/ir/group.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

struct Reduced {
  std::int64_t batches = 1, m = 640, k = 24, n = 20;
  std::vector<OpKind> kinds = {OpKind::kReduceMax};
  bool keepdims = true, bias = false;
  std::int64_t axis = 2;
};

// x y, which is an output, and what is reduced of its rows.
Graph reduced(const Reduced& r) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {r.batches, r.m, r.k}, TensorKind::kInput);
  const TensorId y = add_tensor(graph, "y", {r.batches, r.k, r.n}, TensorKind::kInput);
  TensorId product = add_op(graph, "product", OpKind::kMatMul, {x, y}, {}, TensorKind::kHidden);
  if (r.bias) {
    const TensorId bias = add_tensor(graph, "bias", {r.n}, TensorKind::kConstant);
    product = add_op(graph, "biased", OpKind::kAdd, {product, bias}, {}, TensorKind::kHidden);
  }
  for (const OpKind kind : r.kinds) {
    Attributes attributes;
    attributes.axes = {r.axis}, attributes.keepdims = r.keepdims;
    add_op(graph, fmt::format("rows {}", name_of(kind)), kind, {product}, std::move(attributes));
  }
  add_op(graph, "others", OpKind::kNeg, {product});
  return graph;
}

std::vector<OperatorId> followers(const Plan& plan) { return followers_of(plan, *plan.graph.find_operator("product")); }

const std::vector<OpKind> kReductions = {OpKind::kReduceMax, OpKind::kReduceSum, OpKind::kReduceMean};

TEST(RowReductions, FollowTheProduct) {
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "quad_numa.yaml", "tpu_v3_core.yaml"})
    for (const DataType type : {DataType::kFp32, DataType::kBf16})
      for (const OpKind kind : kReductions) {
        SCOPED_TRACE(fmt::format("{} {} {}", file, name_of(type), name_of(kind)));
        if (chip({.file = file}).core.matmul.rate[static_cast<int>(type)] <= 0) continue;
        const Plan plan = make_plan(reduced({.kinds = {kind}, .bias = true}), chip({.file = file}), {.type = type});
        ASSERT_EQ(followers(plan).size(), 1u);
        EXPECT_TRUE(plan.operators[followers(plan).front()].streams.front().empty());
        EXPECT_EQ(root_of(plan, followers(plan).front()), plan.graph.find_operator("product"));
        expect_values(plan);
      }
}

TEST(RowReductions, SeveralOfOneProduct) {
  for (const std::int64_t batches : {1, 2, 9}) {
    const Plan plan = make_plan(reduced({.batches = batches, .m = 17, .n = 33, .kinds = kReductions}),
                                chip({.file = "edge_single.yaml"}), {});
    EXPECT_EQ(followers(plan).size(), 3u) << batches;
    expect_values(plan);
  }
}

// Rows in several tiles, sums that are cut, rows that are cut: on their own only where a partition has parts of rows.
TEST(RowReductions, OfRowsInTiles) {
  int following = 0, in_tiles = 0, alone = 0;
  for (Bytes bytes = 1024; bytes <= 65536; bytes *= 2)
    for (const std::int64_t k : {24, 700}) {
      const Hardware hardware =
          chip({.file = "edge_single.yaml", .buffer_a = 16384, .buffer_b = 16384, .accumulator = bytes});
      const Plan plan = make_plan(reduced({.m = 70, .k = k, .n = 96, .kinds = kReductions}), hardware, {});
      const Tiling& tiling = plan.operators[*plan.graph.find_operator("product")].tilings.front();
      const bool follow = !followers(plan).empty();
      EXPECT_TRUE(!follow || tiling.partition_n == 96) << bytes << " bytes, k " << k;
      (follow ? following : alone)++;
      in_tiles += follow && tiling.tile_n < 96;
      expect_values(plan);
    }
  EXPECT_GT(following, 0);
  EXPECT_GT(in_tiles, 0);
  EXPECT_GT(alone, 0);
}

TEST(RowReductions, RunInTheLeastBuffersThatHoldThem) {
  expect_least_buffers(reduced({.m = 24, .k = 40, .n = 20, .kinds = kReductions}), {});
}

TEST(RowReductions, AreLeftAloneElsewhere) {
  const auto following = [](const Reduced& r, const PlanOptions& options) {
    const Plan plan = make_plan(reduced(r), chip(), options);
    expect_values(plan);
    return followers(plan).size();
  };
  EXPECT_EQ(following({}, {}), 1u);
  EXPECT_EQ(following({.axis = 1}, {}), 0u);
  EXPECT_EQ(following({.keepdims = false}, {}), 0u);
  EXPECT_EQ(following({.n = 1}, {}), 0u);
  EXPECT_EQ(following({}, {.group = Grouping::kNone}), 0u);
  EXPECT_EQ(following({}, {.parallel = Parallel::kModel}), 0u);
}

// A member of a group by rows leaves its results in the buffers of the next one.
TEST(RowReductions, OfAGroupsMemberAreOnTheirOwn) {
  Graph graph = long_attention();
  const TensorId context = graph.op(*graph.find_operator("context")).output;
  add_op(graph, "maxima", OpKind::kReduceMax, {context}, {.axes = {2}, .keepdims = true});
  const Plan plan = make_plan(graph, chip(), {});
  ASSERT_FALSE(plan.groups.empty());
  EXPECT_EQ(plan.operators[*plan.graph.find_operator("maxima")].leader, -1);
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
