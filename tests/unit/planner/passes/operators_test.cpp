// Every kind of operator from graph to linked program, values included.
#include <optional>

#include "planner/estimate/contraction_unit.h"
#include "planner/ir/requirement.h"
#include "planner/measure/measure.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

constexpr Small kTight{.buffer_a = 2048, .buffer_b = 2048, .accumulator = 4096};

// One operator on inputs of the given shapes, all but the first constant.
Graph one(OpKind kind, std::vector<Shape> shapes, Attributes attributes = {}) {
  Graph graph;
  std::vector<TensorId> inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    inputs.push_back(
        add_tensor(graph, "in" + std::to_string(i), shapes[i], i == 0 ? TensorKind::kInput : TensorKind::kConstant));
  add_op(graph, "op", kind, inputs, std::move(attributes));
  return graph;
}

void expect_everywhere(const Graph& graph) {
  expect_values(make_plan(graph, chip(), {}));
  expect_values(make_plan(graph, chip(kTight), {}));
  expect_values(make_plan(graph, chip({.file = "quad_numa_cache.yaml"}), {.type = DataType::kFp16}));
}

TEST(Conv, PaddedStridedDilatedGrouped) {
  expect_everywhere(one(OpKind::kConv, {{2, 6, 11, 9}, {10, 6, 3, 3}, {10}}, {.pads = {1, 1, 1, 1}}));
  expect_everywhere(one(OpKind::kConv, {{1, 5, 13, 12}, {7, 5, 3, 2}}, {.strides = {2, 3}, .pads = {2, 1, 0, 1}}));
  expect_everywhere(one(OpKind::kConv, {{1, 4, 12, 12}, {3, 4, 3, 3}}, {.dilations = {2, 2}, .pads = {2, 2, 2, 2}}));
  expect_everywhere(one(OpKind::kConv, {{1, 8, 7, 7}, {12, 4, 3, 3}, {12}}, {.pads = {1, 1, 1, 1}, .groups = 2}));
  expect_everywhere(one(OpKind::kConv, {{2, 12, 9, 9}, {12, 1, 3, 3}}, {.pads = {1, 1, 1, 1}, .groups = 12}));
  expect_everywhere(one(OpKind::kConv, {{1, 16, 10, 10}, {24, 16, 1, 1}}));
}

std::int64_t instructions_of(const Plan& plan, Unit unit) {
  std::int64_t count = 0;
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions)
      count += instruction.unit == unit && !std::holds_alternative<Barrier>(instruction.payload);
  return count;
}

TEST(Conv, DepthwiseIsComputedByTheUnitThatIsFaster) {
  const Graph graph = one(OpKind::kConv, {{2, 32, 20, 20}, {32, 1, 3, 3}}, {.pads = {1, 1, 1, 1}, .groups = 32});
  Hardware hardware = chip();
  hardware.core.vector.lanes = 1024;
  const Plan lanes = make_plan(graph, hardware, {});
  EXPECT_EQ(instructions_of(lanes, Unit::kMatmul), 0);
  expect_values(lanes);
  hardware.core.vector.lanes = 1;
  const Plan array = make_plan(graph, hardware, {});
  EXPECT_GT(instructions_of(array, Unit::kMatmul), 0);
  expect_values(array);
}

// A 5 x 5 kernel fills 25 of 32 steps of an array, and the lanes are as many as its columns: each takes about half.
TEST(Conv, DepthwiseIsSharedWhereNeitherUnitIsMuchFaster) {
  const Graph graph = one(OpKind::kConv, {{1, 64, 28, 28}, {64, 1, 5, 5}}, {.pads = {2, 2, 2, 2}, .groups = 64});
  const Hardware hardware = chip({.file = "edge_single.yaml"});
  const Plan plan = make_plan(graph, hardware, {});
  const auto whole = make_contraction(plan, plan.graph.op(0), whole_box(plan.graph.tensor(2).shape));
  const double share = unit_shares(unit_options(plan, plan.graph.op(0), *whole), 64, 16).vector();
  EXPECT_GT(share, 0.2);
  EXPECT_LT(share, 0.8);
  EXPECT_GT(instructions_of(plan, Unit::kMatmul), 0);
  expect_values(plan);
  Session session(hardware);
  EXPECT_LT(measure(session, plan).cycles, 64 * 28 * 28 * 25 / hardware.core.vector.lanes);
}

// The array takes 100 clocks for a group, the vector unit 100 and 50 behind either: of four groups it has one, 300
// clocks in place of 400 or 600.
TEST(Conv, GroupsOfATileAreDealtToBothUnits) {
  UnitOptions options{.on_vector = true, .may_share = true, .array = 100, .vector = 100, .beside = 50};
  const auto on_vector = [&](std::int64_t groups, std::int64_t together) {
    return unit_shares(options, groups, together).on_vector;
  };
  EXPECT_EQ(on_vector(16, 4), 1);
  EXPECT_EQ(on_vector(16, 1), 1) << "a tile of one group is not dealt";
  EXPECT_EQ((UnitShares{2, 8}.among(4)), 1);
  EXPECT_EQ((UnitShares{1, 4}.among(3)), 0);
  options.tail = 4 * (0.8 * 600 - 300) - 1;  // of four tiles, up to where a fifth is gained
  EXPECT_EQ(on_vector(16, 4), 1);
  options.tail += 1;
  EXPECT_EQ(on_vector(16, 4), 4);
  options.tail = 0, options.memory = 119;
  EXPECT_EQ(on_vector(16, 4), 1);
  options.memory = 120;
  EXPECT_EQ(on_vector(16, 4), 4) << "loads take four fifths of what the vector unit does alone";
  options.may_share = false;
  EXPECT_EQ(on_vector(16, 4), 4);
}

TEST(Conv, ChannelMultipliersGroupsAndTypesOnTheVectorUnit) {
  const Attributes padded{.strides = {2, 1}, .dilations = {1, 2}, .pads = {0, 2, 1, 3}, .groups = 6};
  for (const Shape& weights : {Shape{18, 1, 3, 3}, Shape{12, 4, 2, 3}, Shape{6, 4, 3, 1}}) {
    const Graph graph = one(OpKind::kConv, {{2, 6 * weights[1], 12, 11}, weights, {weights[0]}}, padded);
    Hardware hardware = chip(kTight);
    hardware.core.vector.lanes = 4096;
    for (const DataType type : {DataType::kBf16, DataType::kInt8}) {
      const Plan plan = make_plan(graph, hardware, {.type = type});
      EXPECT_EQ(instructions_of(plan, Unit::kMatmul), 0);
      expect_values(plan);
    }
  }
}

TEST(Conv, BlocksOfRowsStandForImagesThatTheArrayTakesTogether) {
  Hardware hardware = chip({.file = "edge_single.yaml"});
  hardware.core.matmul.dataflow = Dataflow::kWeightStationary;
  hardware.core.matmul.overlap = TileOverlap::kWeights;
  hardware.core.matmul.image_granule = 8;
  for (const std::int64_t images : {1, 2, 7, 8, 9})
    for (const std::int64_t rows : {1, 7, 16, 26}) {
      const Graph graph = one(OpKind::kConv, {{images, 5, rows, 13}, {9, 5, 3, 3}, {9}}, {.pads = {1, 1, 1, 1}});
      const Plan plan = make_plan(graph, hardware, {});
      expect_values(plan);
      const Plan padded = make_plan(graph, hardware, {.image_blocks = false});
      expect_values(padded);
    }
}

// Whether some tile computes output columns abreast.
bool any_abreast(const Plan& plan) {
  return std::ranges::any_of(plan.operators.back().tilings, [](const Tiling& t) { return t.abreast > 1; });
}

TEST(Conv, FewFiltersStandInTheArraySeveralTimes) {
  const std::vector<Attributes> windows{{.pads = {1, 1, 1, 1}},
                                        {.strides = {1, 2}, .pads = {0, 1, 1, 0}},
                                        {.strides = {2, 3}, .dilations = {2, 1}, .pads = {2, 1, 2, 1}}};
  for (const Attributes& window : windows)
    for (const char* file : {"tpu_v4_like.yaml", "tpu_v3_core.yaml", "edge_single.yaml"})
      for (const DataType type : {DataType::kBf16, DataType::kInt8}) {
        const Graph graph = one(OpKind::kConv, {{2, 6, 40, 48}, {4, 6, 3, 3}, {4}}, window);
        const Plan plan = make_plan(graph, chip({.file = file}), {.type = type});
        EXPECT_TRUE(any_abreast(plan)) << file;
        expect_values(plan);
        EXPECT_FALSE(any_abreast(make_plan(graph, chip({.file = file}), {.type = type, .abreast = false})));
      }
}

// Groups of one filter and of several, on the array alone and beside the vector unit; strides, cut buffers.
TEST(Conv, FiltersOfGroupsStandInTheArraySeveralTimes) {
  const std::vector<Attributes> windows{{.pads = {1, 1, 1, 1}, .groups = 12},
                                        {.strides = {2, 2}, .pads = {0, 1, 1, 0}, .groups = 12},
                                        {.strides = {1, 2}, .dilations = {2, 1}, .pads = {2, 1, 2, 0}, .groups = 12}};
  for (const Attributes& window : windows)
    for (const int lanes : {1, 8})
      for (const std::int64_t multiplier : {1, 3}) {
        Hardware hardware = chip({.file = "edge_single.yaml"});
        hardware.core.vector.lanes = lanes;
        const Graph graph =
            one(OpKind::kConv, {{1, 24, 17, 48}, {12 * multiplier, 2, 3, 3}, {12 * multiplier}}, window);
        const Plan plan = make_plan(graph, hardware, {});
        EXPECT_TRUE(any_abreast(plan));
        EXPECT_GT(instructions_of(plan, Unit::kMatmul), 0);
        expect_values(plan);
        EXPECT_FALSE(any_abreast(make_plan(graph, hardware, {.abreast = false})));
      }
}

TEST(Conv, FiltersOfGroupsInBuffersOfEverySize) {
  const Graph graph = one(OpKind::kConv, {{1, 20, 9, 16}, {20, 1, 5, 5}, {20}}, {.pads = {2, 2, 2, 2}, .groups = 20});
  for (Bytes bytes = 128; bytes <= 8192; bytes += 96) {
    Hardware hardware = chip({.file = "edge_single.yaml"});
    hardware.core.buffer_a = bytes;
    expect_values(make_plan(graph, hardware, {}));
  }
}

// One column of the kernel, whose dilation means nothing.
TEST(Conv, KernelsOfOneColumnMayBeDilated) {
  const Attributes window{.strides = {1, 2}, .dilations = {1, 3}, .pads = {1, 0, 1, 0}};
  const Graph graph = one(OpKind::kConv, {{1, 8, 20, 63}, {4, 8, 3, 1}, {4}}, window);
  const Plan plan = make_plan(graph, chip({.file = "tpu_v4_like.yaml"}), {});
  EXPECT_TRUE(any_abreast(plan));
  expect_values(plan);
}

// A buffer that holds less at a time, down to one filter: fewer abreast, sums cut, the same values.
TEST(Conv, FewFiltersInBuffersOfEverySize) {
  const Graph graph = one(OpKind::kConv, {{1, 12, 9, 16}, {8, 12, 3, 3}, {8}}, {.pads = {1, 1, 1, 1}});
  for (Bytes bytes = 512; bytes <= 16384; bytes += 256) {
    Hardware hardware = chip({.file = "edge_single.yaml"});
    hardware.core.buffer_a = bytes;
    expect_values(make_plan(graph, hardware, {}));
  }
}

TEST(Elementwise, BroadcastsAsNumpyDoes) {
  expect_everywhere(one(OpKind::kAdd, {{2, 33, 40}, {2, 33, 40}}));
  expect_everywhere(one(OpKind::kMul, {{2, 33, 40}, {33, 1}}));
  expect_everywhere(one(OpKind::kSub, {{40}, {7, 3, 1}}));
  expect_everywhere(one(OpKind::kGelu, {{300, 41}}));
  expect_everywhere(one(OpKind::kClip, {{5000}}, {.clip_low = -0.25, .clip_high = 0.5}));
}

TEST(Elementwise, EveryKindGivesTheValuesOfItsReference) {
  for (const OperatorTraits& traits : all_operator_traits()) {
    if (!is_pointwise(traits.kind)) continue;
    SCOPED_TRACE(traits.name);
    expect_everywhere(one(traits.kind, std::vector<Shape>(max_inputs(traits.kind), Shape{17, 41})));
  }
}

TEST(Rows, SoftmaxAndLayerNorm) {
  expect_everywhere(one(OpKind::kSoftmax, {{3, 50, 64}}, {.axis = 2}));
  expect_everywhere(one(OpKind::kSoftmax, {{6, 20, 15}}, {.axis = 1}));
  expect_everywhere(one(OpKind::kLayerNorm, {{2, 30, 96}, {96}, {96}}, {.axis = 2}));
  expect_everywhere(one(OpKind::kLayerNorm, {{30, 96}, {96}}, {.axis = 1}));
  expect_everywhere(one(OpKind::kRmsNorm, {{2, 30, 96}, {96}}, {.axis = 2}));
}

TEST(Rows, LongerThanTheBuffersIsTheUsersError) {
  EXPECT_THROW(make_plan(one(OpKind::kSoftmax, {{2, 5000}}, {.axis = 1}), chip(kTight), {}), UserError);
}

TEST(Reduce, AnyAxes) {
  expect_everywhere(one(OpKind::kReduceMean, {{2, 24, 14, 14}}, {.axes = {2, 3}}));
  expect_everywhere(one(OpKind::kReduceMean, {{5, 40, 12}}, {.axes = {1}, .keepdims = false}));
  expect_everywhere(one(OpKind::kReduceMean, {{30, 40, 12}}, {.axes = {0, 1, 2}}));
  for (const OpKind kind : {OpKind::kReduceSum, OpKind::kReduceMax}) {
    expect_everywhere(one(kind, {{2, 24, 14, 14}}, {.axes = {2, 3}}));
    expect_everywhere(one(kind, {{5, 40, 12}}, {.axes = {1}, .keepdims = false}));
  }
}

TEST(Pool, PaddingCountsAsAsked) {
  expect_everywhere(
      one(OpKind::kMaxPool, {{1, 9, 15, 15}}, {.window = {3, 3}, .strides = {2, 2}, .pads = {1, 1, 1, 1}}));
  expect_everywhere(
      one(OpKind::kAveragePool, {{2, 5, 13, 12}}, {.window = {3, 3}, .strides = {2, 2}, .pads = {1, 1, 1, 1}}));
  expect_everywhere(one(OpKind::kAveragePool, {{1, 5, 13, 12}},
                        {.window = {3, 2}, .strides = {1, 1}, .pads = {1, 1, 1, 1}, .count_include_pad = true}));
  expect_everywhere(one(OpKind::kMaxPool, {{1, 4, 10, 10}}, {.window = {3, 3}, .strides = {2, 2}, .ceil_mode = true}));
}

// Rows are reduced in several loads, each of whole pieces of them.
TEST(Reduce, OverRowsReadsWholePiecesOfThem) {
  const Plan plan =
      make_plan(one(OpKind::kReduceMean, {{700, 48}}, {.axes = {0}}), chip({.file = "edge_single.yaml"}), {});
  expect_values(plan);
  int loads = 0;
  for (const Instruction& instruction : plan.program.cores[0].instructions)
    if (const auto* load = std::get_if<Transfer>(&instruction.payload); load && load->kind == TransferKind::kLoad) {
      EXPECT_EQ(product_of({load->shape.begin(), load->shape.end()}) % 48, 0);
      ++loads;
    }
  EXPECT_GT(loads, 1);
}

TEST(Movement, TransposeSliceConcat) {
  expect_everywhere(one(OpKind::kTranspose, {{60, 75}}, {.permutation = {1, 0}}));
  expect_everywhere(one(OpKind::kTranspose, {{2, 9, 4, 16}}, {.permutation = {0, 2, 1, 3}}));
  expect_everywhere(one(OpKind::kTranspose, {{2, 3, 4, 5, 2, 3}}, {.permutation = {0, 5, 3, 1, 4, 2}}));
  expect_everywhere(
      one(OpKind::kSlice, {{20, 33}}, {.axes = {0, 1}, .starts = {3, 1}, .ends = {17, 33}, .steps = {2, 3}}));
  expect_everywhere(one(OpKind::kConcat, {{8, 5, 6}, {8, 1, 6}, {8, 9, 6}}, {.axis = 1}));
}

// The elements between those of a core's part are other cores': they are not read in passing.
TEST(Movement, CopiesReadNoGapsThatOthersWrite) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {3, 1, 6, 6, 5, 3, 4}, TensorKind::kInput);
  const TensorId y = add_op(graph, "neg", OpKind::kNeg, {x}, {}, TensorKind::kHidden);
  add_op(graph, "op", OpKind::kSlice, {y}, {.axes = {1}, .starts = {0}, .ends = {1}});
  expect_values(make_plan(graph, chip(), {.type = DataType::kFp32}));
}

// Integers stay integers, whatever the type of the network; a comparison gives them.
TEST(Movement, GatherOfComputedIndices) {
  Graph graph;
  const TensorId table = add_tensor(graph, "table", {700, 24}, TensorKind::kConstant);
  const auto integers = [&](const char* name, std::optional<std::vector<double>> data) {
    return graph.add_tensor(
        {.name = name, .shape = {3}, .kind = TensorKind::kConstant, .is_index = true, .data = std::move(data)});
  };
  const TensorId ids = integers("ids", std::vector<double>{601, 602, 3}),
                 offset = integers("offset", std::vector<double>{2, 0, 1});
  Operator add{.name = "add", .kind = OpKind::kAdd, .inputs = {ids, offset}};
  add.output = graph.add_tensor({.name = "sum", .shape = {3}, .is_index = true});
  graph.add_operator(add);
  add_op(graph, "op", OpKind::kGather, {table, *graph.find_tensor("sum")});
  expect_everywhere(graph);
}

TEST(Movement, GatherOfKnownIndices) {
  for (const std::int64_t axis : {0, 1}) {
    Graph graph;
    const TensorId table = add_tensor(graph, "table", {50, 48}, TensorKind::kConstant);
    const TensorId ids =
        graph.add_tensor({.name = "ids", .shape = {3, 7}, .kind = TensorKind::kInput, .is_index = true});
    add_op(graph, "op", OpKind::kGather, {table, ids}, {.axis = axis});
    expect_everywhere(graph);
  }
}

}  // namespace
}  // namespace tilewright::test
