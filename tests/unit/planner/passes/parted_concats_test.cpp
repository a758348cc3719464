// Concatenations that are read where their parts lie: nothing is moved for them, values are right, and what cannot be
// read so is moved as before.
#include "planner/passes/merge/parted_concats.h"

#include <algorithm>

#include "planner/ir/label_check.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

enum class Reader { kConvolution, kPool, kRelu, kTranspose, kNobody };

// A skip beside a result that is seen in another shape: two images of 4 and 6 channels.
Graph skip(Reader reader) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 3, 12, 12}, TensorKind::kInput);
  const TensorId y = add_tensor(graph, "y", {1, 24, 6, 6}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {4, 3, 3, 3}, TensorKind::kConstant);
  const TensorId before = add_op(graph, "before", OpKind::kConv, {x, w}, {.pads = {1, 1, 1, 1}}, TensorKind::kHidden);
  const TensorId relu = add_op(graph, "relu", OpKind::kRelu, {y}, {}, TensorKind::kHidden);
  const TensorId up = add_tensor(graph, "up.out", {1, 6, 12, 12}, TensorKind::kHidden);
  graph.add_operator({.name = "up", .kind = OpKind::kReshape, .inputs = {relu}, .output = up});
  const TensorKind kind = reader == Reader::kNobody ? TensorKind::kOutput : TensorKind::kHidden;
  const TensorId whole = add_op(graph, "whole", OpKind::kConcat, {up, before}, {.axis = 1}, kind);
  const TensorId v = add_tensor(graph, "v", {8, 10, 3, 3}, TensorKind::kConstant);
  if (reader == Reader::kConvolution) add_op(graph, "after", OpKind::kConv, {whole, v}, {.pads = {1, 1, 1, 1}});
  if (reader == Reader::kPool)
    add_op(graph, "after", OpKind::kMaxPool, {whole}, {.window = {3, 3}, .strides = {1, 1}, .pads = {1, 1, 1, 1}});
  if (reader == Reader::kRelu) add_op(graph, "after", OpKind::kRelu, {whole});
  if (reader == Reader::kTranspose) add_op(graph, "after", OpKind::kTranspose, {whole}, {.permutation = {0, 2, 3, 1}});
  return graph;
}

const Operator& whole_of(const Plan& plan) { return plan.graph.op(*plan.graph.find_operator("whole")); }

// Instructions of the concatenation.
std::int64_t moves(const Plan& plan) {
  const std::uint16_t number = program_operator(*plan.graph.find_operator("whole"));
  std::int64_t count = 0;
  for (const CoreProgram& core : plan.program.cores)
    count += std::ranges::count(core.instructions, number, &Instruction::op);
  return count;
}

TEST(PartedConcats, ASkipAndWhatIsBesideItAreReadWhereTheyLie) {
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "quad_numa.yaml", "quad_numa_cache.yaml"})
    for (const Reader reader : {Reader::kConvolution, Reader::kPool, Reader::kRelu}) {
      SCOPED_TRACE(file);
      for (const bool share : {false, true}) {
        PlanOptions options;
        options.share_memory = share;
        const Plan plan = make_plan(skip(reader), chip({.file = file}), options);
        EXPECT_TRUE(whole_of(plan).attributes.in_parts);
        EXPECT_EQ(moves(plan), 0);
        EXPECT_TRUE(plan.tensors[whole_of(plan).output].pieces.empty());
        EXPECT_NO_THROW(expect_labels_hold(plan));
        expect_values(plan);
      }
    }
}

TEST(PartedConcats, OthersAreMoved) {
  for (const Reader reader : {Reader::kTranspose, Reader::kNobody}) {
    const Plan plan = make_plan(skip(reader), chip({.file = "quad_numa.yaml"}), {});
    EXPECT_FALSE(whole_of(plan).attributes.in_parts);
    EXPECT_GT(moves(plan), 0);
    expect_values(plan);
  }
  const Plan apart = make_plan(skip(Reader::kConvolution), chip(), {.group = Grouping::kNone});
  EXPECT_GT(moves(apart), 0) << "nothing is computed together";
}

// Rows of two images one above the other: the padding above belongs to the first, that below to the second.
TEST(PartedConcats, WhatWindowsSlideAcrossIsMoved) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 4, 6, 12}, TensorKind::kInput);
  const TensorId y = add_tensor(graph, "y", {1, 4, 5, 12}, TensorKind::kInput);
  const TensorId whole = add_op(graph, "whole", OpKind::kConcat, {x, y}, {.axis = 2}, TensorKind::kHidden);
  const TensorId w = add_tensor(graph, "w", {8, 4, 3, 3}, TensorKind::kConstant);
  add_op(graph, "after", OpKind::kConv, {whole, w}, {.pads = {1, 1, 1, 1}});
  const Plan plan = make_plan(graph, chip({.file = "quad_numa.yaml"}), {});
  EXPECT_FALSE(whole_of(plan).attributes.in_parts);
  expect_values(plan);
}

// What could be written into the result is.
TEST(PartedConcats, WhatCanBeJoinedInPlaceIsNotRead) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 3, 12, 12}, TensorKind::kInput);
  std::vector<TensorId> parts;
  for (const char* name : {"a", "b"}) {
    const TensorId w = add_tensor(graph, std::string(name) + ".w", {4, 3, 1, 1}, TensorKind::kConstant);
    parts.push_back(add_op(graph, name, OpKind::kConv, {x, w}, {}, TensorKind::kHidden));
  }
  const TensorId whole = add_op(graph, "whole", OpKind::kConcat, parts, {.axis = 1}, TensorKind::kHidden);
  const TensorId v = add_tensor(graph, "v", {8, 8, 1, 1}, TensorKind::kConstant);
  add_op(graph, "after", OpKind::kConv, {whole, v});
  EXPECT_FALSE(whole_of(make_plan(graph, chip(), {})).attributes.in_parts);
}

// A convolution in parts, which are joined where the whole concatenation has them.
TEST(PartedConcats, WhatADecompositionJoinsIsWrittenIntoTheWhole) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 4, 12, 12}, TensorKind::kInput);
  std::vector<TensorId> parts;
  for (const std::int64_t channels : {48, 4}) {
    const std::string name = "c" + std::to_string(channels);
    const TensorId w = add_tensor(graph, name + ".w", {channels, 4, 1, 1}, TensorKind::kConstant);
    parts.push_back(add_op(graph, name, OpKind::kConv, {x, w}, {}, TensorKind::kHidden));
  }
  const TensorId whole = add_op(graph, "whole", OpKind::kConcat, parts, {.axis = 1}, TensorKind::kHidden);
  add_op(graph, "after", OpKind::kRelu, {whole});
  PlanOptions options;
  options.decompose_above = 12 << 10;
  const Plan plan = make_plan(graph, chip(), options);
  EXPECT_TRUE(plan.graph.find_operator("c48.part1")) << "nothing was cut";
  EXPECT_FALSE(whole_of(plan).attributes.in_parts);
  EXPECT_EQ(moves(plan), 0);
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
