// Memory that tensors take one after the other: never two at a time, as little as the order allows, right values.
#include <gmock/gmock.h>

#include "planner/import/import.h"
#include "planner/ir/memory_sharing.h"
#include "planner/ir/region_allocator.h"
#include "sim/base/error.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// The branches' tensors have 16 KiB and 256 bytes, without gaps between their rows.
const Labels kBranchByBranch{"left", "small", "right", "little", "sum"};
const Labels kSideBySide{"right", "left", "small", "little", "sum"};

Plan planned(const Labels& order, bool share, const Hardware& hardware = chip({"edge_single.yaml"})) {
  return make_plan(branches({64, 64}), hardware,
                   {.type = DataType::kFp32, .share_memory = share, .row_gaps = false, .order = order});
}

Hardware chip_with_dram(Bytes bytes) { return with_memory(chip({"edge_single.yaml"}), bytes); }

TEST(MemorySharing, FollowsTheOrder) {
  const Bytes apart = 3 * 16384 + 3 * 256;
  EXPECT_EQ(memory_taken(planned(kBranchByBranch, false)), apart);
  EXPECT_EQ(memory_taken(planned(kBranchByBranch, true)), apart - 16384);
  EXPECT_EQ(memory_taken(planned(kSideBySide, true)), apart - 256);
  // The sum is not there yet when the second branch is; as an output it has memory of its own nevertheless.
  EXPECT_EQ(peak_memory(planned(kBranchByBranch, true)), apart - 16384 - 256);
  expect_values(planned(kBranchByBranch, true));
}

TEST(MemorySharing, OnlyWhereThereIsNoRoomForEachTensor) {
  const Plan roomy = planned(kBranchByBranch, false, chip_with_dram(64 << 10));
  EXPECT_THAT(tensors_sharing_memory(roomy), testing::Each(false));
  const Plan tight = planned(kBranchByBranch, false, chip_with_dram(44 << 10));
  const auto in_turn = tensors_sharing_memory(tight);
  EXPECT_TRUE(in_turn[*tight.graph.find_tensor("left.out")]);
  EXPECT_TRUE(in_turn[*tight.graph.find_tensor("right.out")]);
  EXPECT_FALSE(in_turn[*tight.graph.find_tensor("x")]);
  EXPECT_FALSE(in_turn[*tight.graph.find_tensor("sum.out")]);
}

TEST(MemorySharing, AnOrderThatDoesNotFitIsRefused) {
  try {
    planned(kSideBySide, false, chip_with_dram(44 << 10));
    ADD_FAILURE() << "not refused";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "tensor 'right.out': no room in DRAM for 16384 bytes: 33024 of 45056 bytes of each region are taken");
  }
}

// Before it is split and tiled, which takes the longer the larger it is.
TEST(MemorySharing, AnInputLargerThanMemoryIsRefusedAtOnce) {
  Plan plan = planned(kBranchByBranch, false, chip_with_dram(64 << 10));
  const Bytes input = bytes_of_tensor(plan, *plan.graph.find_tensor("x"));
  plan.hardware = chip_with_dram(input);
  EXPECT_NO_THROW(check_largest_tensor(plan));
  plan.hardware = chip_with_dram(input - 1);
  EXPECT_THROW(check_largest_tensor(plan), UserError);
}

// The verifier of link proves that no core overwrites what another still reads.
TEST(MemorySharing, IsRightOnEveryChip) {
  const Graph graph = import_workload(TILEWRIGHT_SOURCE_DIR "/traces/two_blocks.yaml");
  const Labels mixed{"norm1", "product2", "product1", "softmax1", "sum1", "block1",
                     "norm2", "product3", "softmax2", "product4", "sum2", "block2"};
  for (const char* file : {"quad_smp.yaml", "quad_numa.yaml", "dual_cluster_cache.yaml", "edge_single.yaml"}) {
    SCOPED_TRACE(file);
    const Plan apart =
        make_plan(graph, chip({file}), {.group = Grouping::kNone, .stores = StoreChoice{}, .order = mixed});
    const Plan shared = make_plan(
        graph, chip({file}), {.group = Grouping::kNone, .stores = StoreChoice{}, .share_memory = true, .order = mixed});
    EXPECT_LT(memory_taken(shared), memory_taken(apart));
    EXPECT_GE(memory_taken(shared), peak_memory(shared));
    expect_values(shared);
  }
}

// Two products, joined along `axis`.
Graph joined(Shape x, int axis, bool view_too = false) {
  Graph graph;
  const auto hidden = TensorKind::kHidden;
  const TensorId in = add_tensor(graph, "x", std::move(x), TensorKind::kInput);
  std::vector<TensorId> parts;
  for (const int outputs : {5, 12}) {
    const std::string name = "c" + std::to_string(outputs);
    const TensorId w =
        add_tensor(graph, name + ".w", {outputs, graph.tensor(in).shape[1], 1, 1}, TensorKind::kConstant);
    parts.push_back(add_op(graph, name, OpKind::kConv, {in, w}, {}, hidden));
  }
  const TensorId whole = add_op(graph, "joined", OpKind::kConcat, parts, {.axis = axis}, hidden);
  add_op(graph, "behind", OpKind::kRelu, {whole});
  add_op(graph, "pooled", OpKind::kMaxPool, {parts[1]}, {.window = {2, 2}, .strides = {2, 2}});
  if (view_too) {
    const TensorId flat = graph.add_tensor({.name = "flat", .shape = {element_count(graph.tensor(parts[0]).shape)}});
    graph.add_operator({.name = "view", .kind = OpKind::kReshape, .inputs = {parts[0]}, .output = flat});
    add_op(graph, "seen", OpKind::kRelu, {flat});
  }
  return graph;
}

bool is_moved(const Plan& plan, const std::string& name) {
  for (const OperatorId id : plan.order)
    if (plan.graph.op(id).name == name) return !plan.operators[id].split.items.empty();
  return false;
}

TEST(Join, InputsAreWrittenWhereTheResultHasThem) {
  for (const char* file : {"quad_smp.yaml", "quad_numa_cache.yaml", "dual_cluster.yaml", "edge_single.yaml"})
    for (const auto parallel : {Parallel::kFree, Parallel::kModel, Parallel::kData}) {
      SCOPED_TRACE(file);
      const Plan plan = make_plan(joined({1, 6, 8, 10}, 1), chip({file}), {.parallel = parallel});
      EXPECT_FALSE(is_moved(plan, "joined"));
      expect_values(plan);
      const Plan shared =
          make_plan(joined({1, 6, 8, 10}, 1), chip({file}), {.parallel = parallel, .share_memory = true});
      expect_values(shared);
    }
}

// Of two images, or where one of the parts is seen in another shape, too.
TEST(Join, WhatIsNoRunOfTheResultIsReadInItsParts) {
  for (const Graph& graph : {joined({2, 6, 8, 10}, 1), joined({1, 6, 8, 10}, 1, true)}) {
    const Plan plan = make_plan(graph, chip(), {});
    EXPECT_TRUE(plan.graph.op(*plan.graph.find_operator("joined")).attributes.in_parts);
    EXPECT_FALSE(is_moved(plan, "joined"));
    expect_values(plan);
  }
  EXPECT_TRUE(is_moved(make_plan(joined({1, 6, 8, 10}, 1), chip(), {.group = Grouping::kNone}), "joined"));
}

}  // namespace
}  // namespace tilewright::test
