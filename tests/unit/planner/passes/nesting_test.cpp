// Images between operators that lie row by row with all channels: which do, that what moves of them is long runs, that
// values stay right, and which piece a core begins with.
#include "planner/passes/allocate/nesting.h"

#include <gmock/gmock.h>

#include "planner/emit/region_moves.h"
#include "planner/ir/access.h"
#include "sim/isa/request_splitter.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kChannels = 64, kRows = 16, kColumns = 8;

struct TwoConvs {
  Graph graph;
  TensorId image = -1;  // between them
};

// Two pointwise convolutions apart from each other.
TwoConvs two_convs() {
  TwoConvs convs;
  Graph& graph = convs.graph;
  const TensorId x = add_tensor(graph, "x", {1, kChannels, kRows, kColumns}, TensorKind::kInput);
  const TensorId first = add_tensor(graph, "first.w", {kChannels, kChannels, 1, 1}, TensorKind::kConstant);
  const TensorId second = add_tensor(graph, "second.w", {kChannels, kChannels, 1, 1}, TensorKind::kConstant);
  convs.image = add_op(graph, "first", OpKind::kConv, {x, first}, {}, TensorKind::kHidden);
  add_op(graph, "second", OpKind::kConv, {convs.image, second});
  return convs;
}

PlanOptions apart(ImageLayout layout = ImageLayout::kAuto) {
  PlanOptions options;
  options.group = Grouping::kNone;
  options.layout = layout;
  return options;
}

TEST(Nesting, OnlyImagesBetweenOperatorsLieRowByRow) {
  const TwoConvs convs = two_convs();
  const Plan plan = make_plan(convs.graph, chip(), apart());
  for (TensorId id = 0; id < std::ssize(plan.tensors); ++id) {
    if (id == convs.image)
      EXPECT_THAT(plan.tensors[id].nesting, ElementsAre(0, 2, 1, 3));
    else
      EXPECT_THAT(plan.tensors[id].nesting, IsEmpty()) << plan.graph.tensor(id).name;
  }
  expect_values(plan);
}

TEST(Nesting, RowMajorLeavesThemAsTheirShapesSay) {
  const TwoConvs convs = two_convs();
  const Plan plan = make_plan(convs.graph, chip(), apart(ImageLayout::kRowMajor));
  EXPECT_THAT(plan.tensors[convs.image].nesting, IsEmpty());
  expect_values(plan);
}

// A matrix of the image's elements in the order of its shape.
TEST(Nesting, AnImageSeenInAnotherShapeKeepsItsOrder) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {2, 4, 6, 6}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {8, 4, 1, 1}, TensorKind::kConstant);
  const TensorId image = add_op(graph, "conv", OpKind::kConv, {x, w}, {}, TensorKind::kHidden);
  const TensorId flat = add_tensor(graph, "flat", {2, 288}, TensorKind::kHidden);
  graph.add_operator({.name = "flatten", .kind = OpKind::kReshape, .inputs = {image}, .output = flat});
  const TensorId b = add_tensor(graph, "b", {288, 5}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {flat, b});
  const Plan plan = make_plan(graph, chip(), apart());
  EXPECT_THAT(plan.tensors[image].nesting, IsEmpty());
  expect_values(plan);
}

// Results that are written where a concatenation has them lie row by row as it does.
TEST(Nesting, JoinedImagesLieInTheWholesRows) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 16, 12, 6}, TensorKind::kInput);
  std::vector<TensorId> branches;
  for (const char* name : {"left", "right"}) {
    const TensorId w = add_tensor(graph, std::string(name) + ".w", {24, 16, 1, 1}, TensorKind::kConstant);
    branches.push_back(add_op(graph, name, OpKind::kConv, {x, w}, {}, TensorKind::kHidden));
  }
  const TensorId joined = add_op(graph, "joined", OpKind::kConcat, branches, {.axis = 1}, TensorKind::kHidden);
  const TensorId w = add_tensor(graph, "w", {8, 48, 3, 3}, TensorKind::kConstant);
  add_op(graph, "conv", OpKind::kConv, {joined, w}, {.pads = {1, 1, 1, 1}});
  for (const char* file : {"quad_smp.yaml", "quad_numa.yaml"}) {
    SCOPED_TRACE(file);
    PlanOptions options;
    options.groups.emplace().source = "none are asked for";
    const Plan plan = make_plan(graph, chip({.file = file}), options);
    EXPECT_EQ(plan.tensors[branches[0]].alias_of, joined);
    EXPECT_THAT(plan.tensors[joined].nesting, ElementsAre(0, 2, 1, 3));
    expect_values(plan);
  }
}

// A few rows of an image are a run for each channel where channels are outside, one run where rows are.
TEST(Nesting, RowsOfAnImageAreOneRun) {
  const TwoConvs convs = two_convs();
  for (const ImageLayout layout : {ImageLayout::kAuto, ImageLayout::kRowMajor}) {
    const Plan plan = make_plan(convs.graph, chip({.file = "edge_single.yaml"}), apart(layout));
    TensorRegion rows{.tensor = convs.image, .box = {{0, 1}, {0, kChannels}, {2, 5}, {0, kColumns}}};
    const ChipBox chip{Space::kBufferB, 0, packed_strides(rows.extents(), 2)};
    const auto transfers = transfers_of(plan, rows, chip, TransferKind::kLoad);
    ASSERT_EQ(transfers.size(), 1u);
    const Transfer& load = transfers.front();
    const RunWalker runs(load.shape, load.source.stride, load.source.address, 2);
    EXPECT_EQ(runs.runs_left(), layout == ImageLayout::kAuto ? 1 : kChannels);
  }
}

// Cores that read each one channel: the gaps between its rows are the other cores' channels, which nothing waits for.
TEST(Nesting, WhatLiesBetweenTheRowsOfAChannelIsNotReadWhereOthersWriteIt) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 16, 30, 4}, TensorKind::kInput);
  const Attributes three{.window = {3, 3}, .strides = {1, 1}, .pads = {1, 1, 1, 1}};
  const TensorId pooled = add_op(graph, "pool", OpKind::kMaxPool, {x}, three, TensorKind::kHidden);
  const TensorId turned =
      add_op(graph, "turn", OpKind::kTranspose, {pooled}, {.permutation = {0, 1, 3, 2}}, TensorKind::kHidden);
  add_op(graph, "next", OpKind::kMaxPool, {turned}, three);
  const Plan plan = make_plan(graph, chip({.file = "quad_numa.yaml"}), apart());
  EXPECT_THAT(plan.tensors[pooled].nesting, ElementsAre(0, 2, 1, 3));
  expect_values(plan);
}

// An image in four memories: what a core loads of it begins in its own and goes on in turn.
TEST(RegionMoves, BeginWithTheNearestPiece) {
  const TwoConvs convs = two_convs();
  const Hardware hardware = chip({.file = "quad_numa.yaml"});
  PlanOptions options = apart();
  Split by_channels;
  const std::int64_t each = kChannels / hardware.cores();
  for (int core = 0; core < hardware.cores(); ++core)
    by_channels.items.push_back({core, {{0, 1}, {core * each, (core + 1) * each}, {0, kRows}, {0, kColumns}}, {}});
  options.choices = {{0, by_channels, {}}, {1, by_channels, {}}};
  const Plan plan = make_plan(convs.graph, hardware, options);
  const TensorRegion whole{.tensor = convs.image, .box = {{0, 1}, {0, kChannels}, {0, kRows}, {0, kColumns}}};
  for (int core = 0; core < hardware.cores(); ++core) {
    Pipeline pipeline(core, program_operator(1), load_lookahead(hardware));
    pipeline.begin_step();
    load_region(pipeline, plan, whole, {Space::kBufferB, 0, packed_strides(whole.extents(), 2)}, {pipeline.add_slot()});
    std::vector<int> regions;
    for (const Instruction& load : pipeline.finish())
      regions.push_back(hardware.dram.region_of(std::get<Transfer>(load.payload).source.address));
    const int own = hardware.cluster_of(core);
    EXPECT_THAT(regions, ElementsAre(own, (own + 1) % 4, (own + 2) % 4, (own + 3) % 4)) << "core " << core;
  }
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
