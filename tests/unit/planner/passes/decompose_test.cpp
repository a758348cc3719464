// Operators in parts: the rules by kind, and the same values as in one.
#include "planner/passes/decompose/decompose.h"

#include <gmock/gmock.h>

#include <map>

#include "planner/ir/group.h"
#include "planner/ir/memory_sharing.h"
#include "planner/ir/region_allocator.h"
#include "planner/ir/requirement.h"
#include "planner/reference/reference.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Plan decomposed(const Graph& graph, Bytes above) {
  return make_plan(graph, chip(), {.type = DataType::kFp32, .decompose_above = above});
}

// Values of every tensor by a plain computation of the whole graph.
std::map<std::string, TensorValues> evaluate(const Graph& graph) {
  std::vector<TensorValues> values(graph.tensors().size());
  for (TensorId id = 0; id < static_cast<TensorId>(values.size()); ++id)
    if (!graph.tensor(id).producer) values[id] = initial_values(graph, id, DataType::kFp32, 1);
  for (const OperatorId id : graph.topological_order()) {
    const Operator& op = graph.op(id);
    std::vector<const TensorValues*> inputs, operands;
    for (const TensorId input : op.inputs) inputs.push_back(&values[input]);
    for (const Epilogue& e : op.epilogues) operands.push_back(e.operand ? &values[*e.operand] : nullptr);
    values[op.output] = compute_reference(graph, op, inputs, operands);
  }
  std::map<std::string, TensorValues> by_name;
  for (std::size_t id = 0; id < values.size(); ++id)
    by_name[graph.tensor(static_cast<TensorId>(id)).name] = std::move(values[id]);
  return by_name;
}

// The output is the same, the program right, and every part of `name` has `shape`.
void expect_decomposed(const Graph& graph, Bytes above, const std::string& name, const Shape& shape) {
  const Plan plan = decomposed(graph, above);
  int parts = 0;
  for (const Operator& op : plan.graph.operators())
    if (op.name.starts_with(name + ".part") && op.kind != OpKind::kSlice) {
      EXPECT_EQ(plan.graph.tensor(op.output).shape, shape) << op.name;
      EXPECT_LE(data_of(plan, op), above) << op.name;
      ++parts;
    }
  EXPECT_GT(parts, 1);
  expect_values(plan);
  const auto whole = evaluate(graph).at(name + ".out"), joined = evaluate(plan.graph).at(name + ".out");
  ASSERT_EQ(whole.size(), joined.size());
  for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(whole[i], joined[i], 1e-9);
}

Graph convolution(std::int64_t images) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {images, 8, 12, 12}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {16, 8, 3, 3}, TensorKind::kConstant);
  const TensorId bias = add_tensor(graph, "bias", {16}, TensorKind::kConstant);
  add_op(graph, "conv", OpKind::kConv, {x, w, bias}, {.pads = {1, 1, 1, 1}});
  return graph;
}

TEST(Decompose, ConvolutionsByImagesThenByChannels) {
  // One image: 4,608 bytes in, 9,216 out, weights 4,608, bias 64.
  expect_decomposed(convolution(4), 40'000, "conv", {2, 16, 12, 12});
  expect_decomposed(convolution(1), 12'000, "conv", {1, 8, 12, 12});
}

TEST(Decompose, ProductsByRowsThenByColumns) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {64, 32}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {32, 48}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  expect_decomposed(graph, 17'000, "product", {32, 48});
}

TEST(Decompose, TransposedOperandsAreCutWhereTheyLie) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {32, 64}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {48, 32}, TensorKind::kInput);
  add_op(graph, "product", OpKind::kMatMul, {a, b}, {.transpose_a = true, .transpose_b = true});
  expect_decomposed(graph, 17'000, "product", {32, 48});
}

TEST(Decompose, PoolsByChannelsNotByRows) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 8, 12, 12}, TensorKind::kInput);
  add_op(graph, "pool", OpKind::kMaxPool, {x}, {.window = {3, 3}, .strides = {1, 1}, .pads = {1, 1, 1, 1}});
  expect_decomposed(graph, 5'000, "pool", {1, 4, 12, 12});
}

TEST(Decompose, TranspositionsByWhatStaysInPlace) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {4, 6, 8, 10}, TensorKind::kInput);
  add_op(graph, "transpose", OpKind::kTranspose, {x}, {.permutation = {0, 3, 2, 1}});
  expect_decomposed(graph, 8'000, "transpose", {2, 10, 8, 6});
}

TEST(Decompose, SoftmaxNeverAlongItsAxis) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {4, 8, 32}, TensorKind::kInput);
  add_op(graph, "softmax", OpKind::kSoftmax, {x}, {.axis = 0});
  expect_decomposed(graph, 4'100, "softmax", {4, 4, 32});
}

TEST(Decompose, RepeatedOperandsStayWhole) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {16, 8, 32}, TensorKind::kInput);
  const TensorId row = add_tensor(graph, "row", {8, 1}, TensorKind::kConstant);
  add_op(graph, "sum", OpKind::kAdd, {x, row});
  expect_decomposed(graph, 17'000, "sum", {8, 8, 32});
}

Graph product(std::int64_t m, std::int64_t k, std::int64_t n) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {m, k}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {k, n}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  return graph;
}

// Two products one behind the other: [m, k] x [k, n] x [n, 16].
Graph two_products(std::int64_t m, std::int64_t k, std::int64_t n) {
  Graph graph = product(m, k, n);
  const TensorId between = graph.op(0).output;
  graph.tensor(between).kind = TensorKind::kHidden;
  const TensorId b = add_tensor(graph, "b2", {n, 16}, TensorKind::kConstant);
  add_op(graph, "second", OpKind::kMatMul, {between, b});
  return graph;
}

int count_kind(const Graph& graph, OpKind kind) {
  return static_cast<int>(std::count_if(graph.operators().begin(), graph.operators().end(),
                                        [&](const Operator& op) { return op.kind == kind; }));
}

// One row has nothing to cut but its columns.
TEST(Decompose, ProductsOfOneRowByColumns) { expect_decomposed(product(1, 64, 96), 13'000, "product", {1, 48}); }

// 200 rows, in two parts: 96 and 104, not 100 and 100.
TEST(Decompose, LongDimensionsAreCutBetweenWholeArrays) {
  const Plan plan = decomposed(product(200, 16, 16), 18'000);
  std::vector<std::int64_t> rows;
  for (const Operator& op : plan.graph.operators())
    if (op.kind == OpKind::kMatMul) rows.push_back(plan.graph.tensor(op.output).shape[0]);
  EXPECT_THAT(rows, testing::ElementsAre(96, 104));
}

// By rows alone B would be in every part, by columns alone A: 16 KiB each.
TEST(Decompose, ProductsByRowsAndColumnsWhereOneIsNotEnough) {
  const Plan plan = decomposed(product(64, 64, 64), 16'384);
  EXPECT_EQ(count_kind(plan.graph, OpKind::kMatMul), 8);
  for (const Operator& op : plan.graph.operators())
    EXPECT_TRUE(op.kind != OpKind::kMatMul || data_of(plan, op) <= 16'384) << op.name;
  expect_values(plan);
}

TEST(Decompose, GroupedConvolutionsByWholeGroups) {
  for (const std::int64_t groups : {8, 4}) {
    Graph graph;
    const TensorId x = add_tensor(graph, "x", {1, 8, 12, 12}, TensorKind::kInput);
    const TensorId w = add_tensor(graph, "w", {16, 8 / groups, 3, 3}, TensorKind::kConstant);
    const TensorId bias = add_tensor(graph, "bias", {16}, TensorKind::kConstant);
    add_op(graph, "conv", OpKind::kConv, {x, w, bias}, {.pads = {1, 1, 1, 1}, .groups = groups});
    expect_decomposed(graph, 8'000, "conv", {1, 8, 12, 12});
  }
}

// Nothing is moved for the parts: they read and write the whole's memory, and that is all there is.
TEST(Decompose, PartsLieInTheWhole) {
  for (const auto& graph : {product(64, 32, 48), product(1, 64, 80), product(64, 64, 64)}) {
    const Plan whole = decomposed(graph, 0), parts = decomposed(graph, 11'500);
    ASSERT_GT(count_kind(parts.graph, OpKind::kConcat), 0);
    EXPECT_EQ(memory_taken(parts), memory_taken(whole));
    for (std::size_t id = 0; id < parts.graph.operators().size(); ++id)
      EXPECT_EQ(parts.operators[id].split.items.empty(),
                parts.graph.op(static_cast<OperatorId>(id)).kind != OpKind::kMatMul);
    expect_values(parts);
  }
}

// 128 KiB between two products, of which no more than a part has to be there: all of it would not fit.
TEST(Decompose, APartIsReadBeforeTheNextOneIsWritten) {
  const Graph graph = two_products(512, 16, 64);
  const Plan plan =
      make_plan(graph, chip(),
                {.type = DataType::kFp32, .group = Grouping::kNone, .share_memory = true, .decompose_above = 100'000});
  EXPECT_EQ(count_kind(plan.graph, OpKind::kMatMul), 4);
  std::vector<std::string> order;
  for (const OperatorId id : plan.order)
    if (plan.graph.op(id).kind == OpKind::kMatMul) order.push_back(plan.graph.op(id).name);
  EXPECT_EQ(order[0], "product.part1");
  EXPECT_EQ(order[1], "second.part1");
  const Plan whole =
      make_plan(graph, chip(), {.type = DataType::kFp32, .group = Grouping::kNone, .share_memory = true});
  EXPECT_LT(memory_taken(plan), memory_taken(whole));
  expect_values(plan);
}

// A gated layer: 1 MiB each of two products that are multiplied and of what comes of it, in 1 MiB. What a part waits
// for comes right before it, not behind all the other parts of what it reads first.
TEST(Decompose, WhatAPartIsReadWithComesBeforeTheNextOne) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {512, 16}, TensorKind::kInput);
  const auto product = [&](const std::string& name, TensorId rows, const Shape& weight, TensorKind kind) {
    const TensorId w = add_tensor(graph, name + ".weight", weight, TensorKind::kConstant);
    return add_op(graph, name, OpKind::kMatMul, {rows, w}, {}, kind);
  };
  constexpr TensorKind kHidden = TensorKind::kHidden;
  const TensorId gate = product("gate", x, {16, 512}, kHidden), up = product("up", x, {16, 512}, kHidden);
  const TensorId gated = add_op(graph, "gated", OpKind::kMul, {gate, up}, {}, kHidden);
  product("down", gated, {512, 16}, TensorKind::kOutput);
  for (const Grouping group : {Grouping::kNone, Grouping::kAuto}) {
    const Plan plan = make_plan(graph, with_memory(chip(), 1 << 20), {.type = DataType::kFp32, .group = group});
    std::vector<std::string> order;
    for (const OperatorId id : plan.order) order.push_back(plan.graph.op(id).name);
    const auto at = [&](const std::string& name) { return std::ranges::find(order, name); };
    ASSERT_NE(at("gate.part2"), order.end());
    EXPECT_LT(at("down.part1"), at("gate.part2"));
    expect_values(plan);
  }
}

// The same with the chip's memory as the limit: 2 MiB do not fit into 1.5 MiB beside 288 KiB of inputs, constants and
// outputs. The cheapest cut of the first product would be by columns, which the second one sums over.
TEST(Decompose, WhatIsBetweenIsCutByBothWhereItCanNeverBeWhole) {
  const Graph graph = two_products(256, 16, 2048);
  const Hardware small = with_memory(chip(), 1536 * 1024);
  const PlanOptions options{.type = DataType::kFp32, .group = Grouping::kNone};
  const Plan plan = make_plan(graph, small, options);
  EXPECT_EQ(count_kind(plan.graph, OpKind::kMatMul), 4);
  EXPECT_EQ(count_kind(plan.graph, OpKind::kConcat), 1);
  EXPECT_FALSE(plan.graph.find_tensor("product.out").has_value()) << "it is never there as a whole";
  expect_values(plan);
}

// 480 KiB of inputs, constants and outputs; 2 MiB, then 256 KiB between operators.
Graph wide_network() { return wide_between(1024, 16, 512, 64, 1); }

// Of 1.25 MiB 800 KiB are left. The first result lies there in parts, each of which is read beside the second one as a
// whole: four parts would leave nothing for instructions.
TEST(Decompose, AResultThatIsWholeCountsAsAWholeBesideParts) {
  const Plan plan = make_plan(wide_network(), with_memory(chip(), 1280 * 1024),
                              {.type = DataType::kFp32, .group = Grouping::kNone, .cores = 1});
  EXPECT_EQ(count_kind(plan.graph, OpKind::kMatMul), 2 * 5);
  expect_values(plan);
}

// Whether there is a plan within so much memory, whose values are then right.
bool has_room(Bytes memory, int cores, Grouping group = Grouping::kNone) {
  try {
    expect_values(make_plan(wide_network(), with_memory(chip(), memory),
                            {.type = DataType::kFp32, .group = group, .cores = cores}));
    return true;
  } catch (const NoRoomInDram&) {
    return false;
  }
}

// What lies between operators is cut into as many parts as leave room for instructions and partial results.
TEST(Decompose, MemoryThatTheProgramNeedsIsKeptFromTensors) {
  for (const int cores : {1, 16}) {
    for (const Bytes kib : {896, 1280, 1920, 2688, 4096})
      EXPECT_TRUE(has_room(kib * 1024, cores)) << kib << " KiB, " << cores;
    EXPECT_FALSE(has_room(512 * 1024, cores)) << cores;
  }
}

// In parts, too, what is between has to lie somewhere; walked by rows it need not.
TEST(Decompose, ChainsWhosePartsHaveNoRoomAreWalkedByRows) {
  const Bytes memory = 768 * 1024;
  EXPECT_FALSE(has_room(memory, 16));
  const Plan plan = make_plan(wide_network(), with_memory(chip(), memory), {.type = DataType::kFp32});
  EXPECT_EQ(count_kind(plan.graph, OpKind::kMatMul), 2);
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_EQ(names_of(plan.graph, plan.groups[0].members), (std::vector<std::string>{"up", "down", "shares"}));
  expect_values(plan);
}

// 588 KiB of inputs, constants and outputs; between them three results of 512 KiB, of which the second lasts to the
// end.
Graph kept_result() {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1024, 16}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {16, 128}, TensorKind::kConstant);
  const TensorId v = add_tensor(graph, "v", {128, 8}, TensorKind::kConstant);
  const TensorId u = add_tensor(graph, "u", {8, 128}, TensorKind::kConstant);
  const TensorId wide = add_op(graph, "up", OpKind::kMatMul, {x, w}, {}, TensorKind::kHidden);
  const TensorId kept = add_op(graph, "shares", OpKind::kSoftmax, {wide}, {.axis = 1}, TensorKind::kHidden);
  const TensorId narrow = add_op(graph, "down", OpKind::kMatMul, {kept, v}, {}, TensorKind::kHidden);
  const TensorId again = add_op(graph, "again", OpKind::kMatMul, {narrow, u}, {}, TensorKind::kHidden);
  const TensorId sum = add_op(graph, "sum", OpKind::kAdd, {again, kept}, {}, TensorKind::kHidden);
  add_op(graph, "last", OpKind::kSoftmax, {sum}, {.axis = 1});
  return graph;
}

// What has to be cut although it would fit by itself is cut into as few parts as fit beside the rest. Memory that is
// kept from all tensors for that would leave room for smaller ones only.
TEST(Decompose, PartsAreAsLargeAsMemoryHasRoomFor) {
  const Hardware hardware = with_memory(chip(), 1280 * 1024);
  PlanOptions options{.type = DataType::kFp32, .group = Grouping::kNone, .cores = 4};
  const Plan plan = make_plan(kept_result(), hardware, options);
  EXPECT_EQ(count_kind(plan.graph, OpKind::kMatMul), 3 * 3);
  EXPECT_GT(plan.options.decompose_spare, plan.options.program_memory);
  expect_values(plan);
  options.program_memory = plan.options.decompose_spare;
  EXPECT_GT(count_kind(make_plan(kept_result(), hardware, options, {.stop_after = "decompose"}).graph, OpKind::kMatMul),
            3 * 3);
}

// Three products of one operand, each read by a softmax of its own: made together, all three results are there at once.
TEST(Decompose, SiblingsStayApartWhereTheirResultsHaveNoRoom) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1024, 64}, TensorKind::kInput);
  TensorId sum = -1;
  for (const std::string name : {"a", "b", "c"}) {
    const TensorId w = add_tensor(graph, name + ".w", {64, 64}, TensorKind::kConstant);
    const TensorId y = add_op(graph, name, OpKind::kMatMul, {x, w}, {}, TensorKind::kHidden);
    const TensorId s = add_op(graph, name + ".s", OpKind::kSoftmax, {y}, {.axis = 0}, TensorKind::kHidden);
    const bool last = name == "c";
    sum = sum < 0 ? s
                  : add_op(graph, name + ".sum", OpKind::kAdd, {sum, s}, {},
                           last ? TensorKind::kOutput : TensorKind::kHidden);
  }
  const PlanOptions options{.type = DataType::kFp32};
  const Hardware hardware = chip({"tpu_v3_core.yaml"});
  EXPECT_EQ(make_plan(graph, hardware, options).options.groups->merged.size(), 1u);
  const Plan plan = make_plan(graph, with_memory(hardware, 1536 * 1024), options);
  EXPECT_TRUE(plan.options.groups->merged.empty());
  EXPECT_EQ(plan.options.program_memory, 0);
  expect_values(plan);
}

TEST(Decompose, WhatNoCutMakesFitStaysAsItIs) {
  // One row of A and one column of B are 512 bytes.
  EXPECT_EQ(decomposed(product(64, 64, 64), 500).graph.operators().size(), 1u);
}

TEST(Decompose, WhatFitsStaysAsItIs) {
  EXPECT_EQ(decomposed(convolution(1), 0).graph.operators().size(), 1u);
  EXPECT_EQ(decomposed(convolution(1), 1 << 20).graph.operators().size(), 1u);
}

}  // namespace
}  // namespace tilewright::test
