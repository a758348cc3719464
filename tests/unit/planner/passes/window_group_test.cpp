// Groups of convolutions: what their program computes and moves, the least buffers that hold their rows, and where the
// rows lie.
#include <gmock/gmock.h>

#include <set>

#include "planner/emit/window_chain/row_places.h"
#include "planner/emit/window_chain/window_chain.h"
#include "planner/ir/group.h"
#include "sim/base/error.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// An inverted residual: pointwise to more channels, depthwise 3 x 3, pointwise back, the input added.
Graph inverted_residual(std::int64_t channels, std::int64_t wide, std::int64_t size) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, channels, size, size}, TensorKind::kInput);
  const TensorId we = add_tensor(graph, "we", {wide, channels, 1, 1}, TensorKind::kConstant);
  const TensorId wd = add_tensor(graph, "wd", {wide, 1, 3, 3}, TensorKind::kConstant);
  const TensorId wp = add_tensor(graph, "wp", {channels, wide, 1, 1}, TensorKind::kConstant);
  TensorId t = add_op(graph, "expand", OpKind::kConv, {x, we}, {}, TensorKind::kHidden);
  t = add_op(graph, "relu", OpKind::kRelu, {t}, {}, TensorKind::kHidden);
  t = add_op(graph, "depthwise", OpKind::kConv, {t, wd}, {.pads = {1, 1, 1, 1}, .groups = wide}, TensorKind::kHidden);
  t = add_op(graph, "project", OpKind::kConv, {t, wp}, {}, TensorKind::kHidden);
  add_op(graph, "sum", OpKind::kAdd, {t, x});
  return graph;
}

PlanOptions together_by_rows(std::vector<std::string> operators) {
  PlanOptions options;
  options.groups = GroupChoice{.groups = {{std::move(operators), "file:1"}}, .source = "file"};
  return options;
}
PlanOptions residual_group() { return together_by_rows({"expand", "depthwise", "project"}); }

TEST(WindowGroup, AnInvertedResidualKeepsItsWideResultsOnTheCore) {
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "quad_numa_cache.yaml", "tpu_v3_core.yaml"}) {
    SCOPED_TRACE(file);
    const Plan plan = make_plan(inverted_residual(8, 48, 20), chip({.file = file}), residual_group());
    ASSERT_EQ(plan.groups.size(), 1u);
    expect_values(plan);
    for (const OperatorId inner : {plan.groups[0].members[0], plan.groups[0].members[1]})
      EXPECT_TRUE(plan.tensors[plan.graph.op(inner).output].pieces.empty());
  }
}

// A convolution, a pool and a pointwise convolution; a pool in front and one behind.
Graph pools_between(OpKind pool) {
  Graph graph;
  const Attributes three{.window = {3, 3}, .strides = {1, 1}, .pads = {1, 1, 1, 1}};
  const Attributes half{.window = {3, 3}, .strides = {2, 2}, .pads = {1, 1, 1, 1}};
  TensorId t = add_tensor(graph, "x", {2, 6, 22, 20}, TensorKind::kInput);
  const TensorId wide = add_tensor(graph, "wide", {12, 6, 3, 3}, TensorKind::kConstant);
  const TensorId narrow = add_tensor(graph, "narrow", {8, 12, 1, 1}, TensorKind::kConstant);
  t = add_op(graph, "front", pool, {t}, three, TensorKind::kHidden);
  t = add_op(graph, "first", OpKind::kConv, {t, wide}, {.pads = {1, 1, 1, 1}}, TensorKind::kHidden);
  t = add_op(graph, "between", pool, {t}, half, TensorKind::kHidden);
  t = add_op(graph, "second", OpKind::kConv, {t, narrow}, {}, TensorKind::kHidden);
  add_op(graph, "behind", pool, {t}, half);
  return graph;
}

TEST(WindowGroup, PoolsAreComputedWhereRowsLie) {
  for (const OpKind pool : {OpKind::kMaxPool, OpKind::kAveragePool})
    for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "quad_numa_cache.yaml", "tpu_v3_core.yaml"}) {
      SCOPED_TRACE(fmt::format("{} on {}", name_of(pool), file));
      const Plan plan = make_plan(pools_between(pool), chip({.file = file}),
                                  together_by_rows({"front", "first", "between", "second", "behind"}));
      ASSERT_EQ(plan.groups.size(), 1u);
      expect_values(plan);
      for (const OperatorId member : plan.groups[0].members)
        EXPECT_EQ(plan.tensors[plan.graph.op(member).output].pieces.empty(), member != plan.groups[0].members.back());
    }
}

// A pool needs no more channels of what it reads than it computes.
TEST(WindowGroup, PoolsBehindOneConvolutionLetChannelsBeCut) {
  const Graph graph = pools_between(OpKind::kMaxPool);
  const auto group_of_names = [&](const std::vector<std::string>& names) {
    OperatorGroup group;
    for (const std::string& name : names) group.members.push_back(*graph.find_operator(name));
    return group;
  };
  EXPECT_TRUE(channels_can_be_cut(graph, group_of_names({"first", "between"})));
  EXPECT_FALSE(channels_can_be_cut(graph, group_of_names({"front", "first"})));
}

// Channels of the pool are cut within the two of a group of the convolution, which is computed as a whole.
TEST(WindowGroup, APoolReadsSomeChannelsOfWholeGroups) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 8, 12, 4}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {16, 1, 3, 3}, TensorKind::kConstant);
  const TensorId t =
      add_op(graph, "depthwise", OpKind::kConv, {x, w}, {.pads = {1, 1, 1, 1}, .groups = 8}, TensorKind::kHidden);
  add_op(graph, "pool", OpKind::kMaxPool, {t}, {.window = {12, 2}, .strides = {12, 2}, .pads = {0, 0, 0, 0}});
  const Plan plan = make_plan(graph, chip({.file = "quad_smp.yaml"}), together_by_rows({"depthwise", "pool"}));
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_GT(plan.groups[0].channel_parts, 8);
  expect_values(plan);
}

// The weights of the first and of depthwise convolutions go in front of the first rows: rows wait for who writes them,
// weights need not.
TEST(WindowGroup, FirstAndDepthwiseWeightsAreLoadedBeforeRows) {
  const Plan plan = make_plan(inverted_residual(8, 48, 20), chip({.file = "edge_single.yaml"}), residual_group());
  std::set<std::string> before, behind;  // operators whose weights are loaded before the first rows, and behind
  bool rows = false;
  for (const Instruction& instruction : plan.program.cores.at(0).instructions) {
    const auto* transfer = std::get_if<Transfer>(&instruction.payload);
    if (!transfer || transfer->kind != TransferKind::kLoad) continue;
    rows |= transfer->target.space == Space::kBufferB;
    if (transfer->target.space != Space::kBufferA) continue;
    (rows ? behind : before).insert(plan.program.operators.at(instruction.op));
  }
  EXPECT_THAT(before, testing::ElementsAre("depthwise", "expand"));
  EXPECT_THAT(behind, testing::ElementsAre("project"));
}

bool any_zeros(const Plan& plan) {
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions)
      if (const auto* matmul = std::get_if<Matmul>(&instruction.payload); matmul && matmul->zeros > 0) return true;
  return false;
}

// Few filters and depthwise ones, of which the array computes several output columns at a time.
TEST(WindowGroup, ComputesOutputColumnsAbreast) {
  const Graph graph = inverted_residual(6, 24, 24);
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "quad_numa_cache.yaml", "tpu_v3_core.yaml"}) {
    SCOPED_TRACE(file);
    Hardware hardware = chip({.file = file});
    hardware.core.vector.lanes = 8;
    PlanOptions options = residual_group();
    const Plan plan = make_plan(graph, hardware, options);
    ASSERT_EQ(plan.groups.size(), 1u);
    EXPECT_TRUE(any_zeros(plan));
    expect_values(plan);
    options.abreast = false;
    EXPECT_FALSE(any_zeros(make_plan(graph, hardware, options)));
  }
}

// The smallest buffers that hold a row at a time: there the group runs, one alignment below it is refused.
TEST(WindowGroup, RunsInTheLeastBuffersThatHoldIt) {
  expect_least_buffers(inverted_residual(5, 20, 9), residual_group());
}

// Short rows, of which several are loaded at once, in areas of every length: what is moved to the beginning is not
// loaded over before.
TEST(WindowGroup, RunsInAreasOfEveryLength) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 4, 40, 6}, TensorKind::kInput);
  const TensorId first = add_tensor(graph, "first.w", {6, 4, 3, 3}, TensorKind::kConstant);
  const TensorId second = add_tensor(graph, "second.w", {3, 6, 3, 3}, TensorKind::kConstant);
  const Attributes padded{.pads = {1, 1, 1, 1}};
  const TensorId t = add_op(graph, "first", OpKind::kConv, {x, first}, padded, TensorKind::kHidden);
  add_op(graph, "second", OpKind::kConv, {t, second}, padded);
  Hardware hardware = chip({.file = "edge_single.yaml"});
  int formed = 0;
  for (Bytes bytes = 512; bytes <= 8192; bytes += 64) {
    hardware.core.buffer_b = bytes;
    PlanOptions options = together_by_rows({"first", "second"});
    options.groups->groups[0].where.clear();  // apart where it does not fit
    const Plan plan = make_plan(graph, hardware, options);
    formed += plan.groups.empty() ? 0 : 1;
    expect_values(plan);
  }
  EXPECT_GT(formed, 50);
}

// The last window of an image covers padding alone: nothing is loaded for it, and nothing of the next image.
TEST(WindowGroup, AWindowOfPaddingBetweenTwoImagesNeedsNothing) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {2, 4, 18, 22}, TensorKind::kInput);
  const TensorId first = add_tensor(graph, "first.w", {2, 2, 3, 4}, TensorKind::kConstant);
  const TensorId second = add_tensor(graph, "second.w", {17, 2, 1, 4}, TensorKind::kConstant);
  const Attributes grouped{.pads = {1, 2, 1, 3}, .groups = 2};
  const TensorId t = add_op(graph, "first", OpKind::kConv, {x, first}, grouped, TensorKind::kHidden);
  add_op(graph, "second", OpKind::kConv, {t, second}, {.strides = {3, 2}, .pads = {0, 3, 1, 3}});
  Hardware hardware = chip({.file = "edge_single.yaml"});
  for (const Bytes bytes : {4608, 65536}) {
    hardware.core.buffer_b = bytes;
    const Plan plan = make_plan(graph, hardware, together_by_rows({"first", "second"}));
    expect_values(plan);
  }
}

// Parts of the same size need padding at other ends, and so other areas: some walk fewer rows at a time.
TEST(WindowGroup, PartsOfOneSizeMayNeedAreasOfOtherLengths) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 5, 30, 21}, TensorKind::kInput);
  const TensorId first = add_tensor(graph, "first.w", {5, 1, 1, 1}, TensorKind::kConstant);
  const TensorId second = add_tensor(graph, "second.w", {10, 1, 1, 3}, TensorKind::kConstant);
  const TensorId t = add_op(graph, "first", OpKind::kConv, {x, first},
                            {.strides = {2, 1}, .pads = {1, 0, 0, 0}, .groups = 5}, TensorKind::kHidden);
  add_op(graph, "second", OpKind::kConv, {t, second}, {.dilations = {2, 1}, .pads = {1, 0, 1, 1}, .groups = 5});
  PlanOptions options = together_by_rows({"first", "second"});
  options.groups->groups[0].where.clear();  // apart where it does not fit
  options.type = DataType::kFp16;
  int formed = 0;
  for (options.cores = 2; options.cores <= 16; ++options.cores) {
    const Small small{.file = "quad_numa_cache.yaml", .buffer_a = 2304, .buffer_b = 768, .accumulator = 10496};
    const Plan plan = make_plan(graph, chip(small), options);
    formed += plan.groups.empty() ? 0 : 1;
    expect_values(plan);
  }
  EXPECT_GT(formed, 2);
}

TEST(WindowGroup, RowsThatTwoCoresNeedAreMadeByBoth) {
  const Plan plan = make_plan(inverted_residual(8, 48, 20), chip({.file = "quad_smp.yaml"}), residual_group());
  const OperatorGroup& group = plan.groups.at(0);
  ASSERT_GT(group.row_parts, 1);
  std::int64_t rows = 0;
  for (const WorkItem& item : plan.operators[group.members[0]].split.items) rows += item.output[2].size();
  EXPECT_EQ(rows, (20 + 2 * (group.row_parts - 1)) * group.channel_parts);
  EXPECT_EQ(macs_repeated(plan), 2 * (group.row_parts - 1) * 20 * 48 * 8);
}

TEST(WindowGroup, OnlyConvolutionsBehindOneAnotherAreOne) {
  const auto refusal = [](std::vector<std::string> operators) -> std::string {
    try {
      make_plan(inverted_residual(8, 48, 20), chip(), together_by_rows(std::move(operators)));
    } catch (const UserError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(refusal({"expand", "project"}), testing::HasSubstr("'project' does not read the rows of 'expand'"));
  EXPECT_THAT(refusal({"expand", "depthwise", "depthwise"}), testing::HasSubstr("does not read the rows"));
}

// Windows of three rows over two at a time: one row is kept.
TEST(RowPlaces, KeepWhatTheNextBlockCoversAndMoveItAtTheEnd) {
  std::vector<RowNeed> needs;
  for (std::int64_t row = 0; row < 10; row += 2) needs.push_back({0, {row - 1, row + 2}});
  const std::int64_t length = least_length(needs);
  EXPECT_EQ(length, 7);
  EXPECT_EQ(whole_length(needs), 11);
  EXPECT_FALSE(place_rows(needs, length - 1));
  const auto places = *place_rows(needs, length);
  EXPECT_EQ(places[2].at, 4);
  EXPECT_FALSE(places[2].moves());
  EXPECT_EQ(places[3].at, 0);  // of three rows from 6 on only one would fit
  EXPECT_TRUE(places[3].moves());
  EXPECT_EQ(places[3].kept, 1);
  EXPECT_EQ(places[3].kept_at, 6);
}

TEST(RowPlaces, AnotherImageKeepsNothing) {
  const auto places = *place_rows({{0, {0, 4}}, {1, {0, 4}}, {1, {}}, {1, {2, 6}}}, 8);
  EXPECT_EQ(places[1].at, 4);
  EXPECT_EQ(places[1].kept, 0);
  EXPECT_EQ(places[3].kept, 2);
}

}  // namespace
}  // namespace tilewright::test
