// Products with weights of 8 and 4 bits that are expanded on their way into buffer B.
#include "planner/ir/packed_weights.h"

#include <gmock/gmock.h>

#include "planner/estimate/tiling_time.h"
#include "planner/ir/tiling_limits.h"
#include "planner/passes/pass.h"
#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/isa/request_splitter.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

using ::testing::HasSubstr;

struct PackedShape {
  std::int64_t m = 1, n = 1, k = 1, bits = 8, group = 1;
  double zero_point = 0;
};

TensorId add_packed(Graph& graph, const std::string& name, TensorId x, const PackedShape& s, TensorKind output) {
  const TensorId bytes =
      add_tensor(graph, name + ".w", {ceil_div(s.k * s.bits, std::int64_t{8}), s.n}, TensorKind::kConstant);
  const TensorId scales = add_tensor(graph, name + ".s", {ceil_div(s.k, s.group), s.n}, TensorKind::kConstant);
  return add_op(graph, name, OpKind::kMatMulNBits, {x, bytes, scales},
                {.zero_point = s.zero_point, .bits = s.bits, .group_size = s.group}, output);
}

Graph packed_graph(const PackedShape& s) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {s.m, s.k}, TensorKind::kInput);
  add_packed(graph, "packed", x, s, TensorKind::kOutput);
  return graph;
}

TEST(PackedWeights, GiveTheValuesOfTheReference) {
  for (const std::int64_t bits : {4, 8})
    for (const std::int64_t group : {7, 16, 32, 100, 1000})
      expect_values(make_plan(packed_graph({5, 70, 100, bits, group, 1}), chip(), {}));
}

TEST(PackedWeights, SmallBuffersCutGroupsAndBytes) {
  constexpr Small kSmall{.buffer_a = 2048, .buffer_b = 2048, .accumulator = 4096};
  for (const std::int64_t bits : {4, 8})
    for (const std::int64_t group : {9, 24, 64, 301})
      for (const DataType type : {DataType::kBf16, DataType::kFp16, DataType::kFp32})
        expect_values(make_plan(packed_graph({9, 50, 301, bits, group}), chip(kSmall), {.type = type}));
}

TEST(PackedWeights, RandomShapesChipsAndTypes) {
  SplitMix64 random(20);
  const char* files[] = {"quad_smp.yaml", "quad_numa_cache.yaml", "edge_single.yaml", "dual_cluster_cache.yaml"};
  for (int i = 0; i < 24; ++i) {
    PackedShape s{1 + random.below(40), 1 + random.below(150), 1 + random.below(300), random.below(2) == 0 ? 8 : 4};
    s.group = 1 + random.below(s.k + 20);
    s.zero_point = static_cast<double>(random.below(5)) - 2;
    SCOPED_TRACE(fmt::format("{} {} {} bits {} group {}", s.m, s.n, s.k, s.bits, s.group));
    const Small small{.file = files[random.below(4)], .buffer_b = random.below(2) == 0 ? 0 : 8192};
    expect_values(
        make_plan(packed_graph(s), chip(small), {.type = random.below(2) == 0 ? DataType::kBf16 : DataType::kFp16}));
  }
}

TEST(PackedWeights, OfFewRowsAreMultipliedByTheUnitThatIsFaster) {
  const auto matmuls = [](const Plan& plan) {
    std::int64_t count = 0;
    for (const CoreProgram& core : plan.program.cores)
      for (const Instruction& instruction : core.instructions)
        count += std::holds_alternative<Matmul>(instruction.payload);
    return count;
  };
  Hardware hardware = chip({.file = "tpu_v4_like.yaml"});
  for (const std::int64_t m : {1, 3}) {
    const Plan lanes = make_plan(packed_graph({m, 300, 256, 4, 32}), hardware, {});
    EXPECT_EQ(matmuls(lanes), 0);
    expect_values(lanes);
  }
  hardware.core.vector.lanes = 16;
  const Plan array = make_plan(packed_graph({1, 300, 256, 4, 32}), hardware, {});
  EXPECT_GT(matmuls(array), 0);
  expect_values(array);
}

TEST(PackedWeights, EpiloguesBatchesAndChainsOfProducts) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {2, 3, 64}, TensorKind::kInput);
  const PackedShape shape{.n = 48, .k = 64, .bits = 4, .group = 32};
  TensorId y = add_packed(graph, "up", x, shape, TensorKind::kHidden);
  y = add_op(graph, "biased", OpKind::kAdd, {y, add_tensor(graph, "bias", {48}, TensorKind::kConstant)}, {},
             TensorKind::kHidden);
  y = add_op(graph, "silu", OpKind::kSilu, {y}, {}, TensorKind::kHidden);
  add_packed(graph, "down", y, {.n = 64, .k = 48, .bits = 8, .group = 16}, TensorKind::kOutput);
  const Plan plan = make_plan(graph, chip(), {});
  expect_values(plan);
  EXPECT_EQ(plan.graph.op(0).epilogues.size(), 2u);
  expect_values(make_plan(graph, chip(), {.fuse = false}));
}

TEST(PackedWeights, DramGivesTheirBytesAndScales) {
  const std::int64_t n = 64, k = 256, group = 32;
  for (const std::int64_t bits : {4, 8}) {
    const Plan plan = make_plan(packed_graph({1, n, k, bits, group}), chip(), {});
    Bytes loaded = 0;
    for (const CoreProgram& core : plan.program.cores)
      for (const Instruction& instruction : core.instructions)
        if (const auto* transfer = std::get_if<Transfer>(&instruction.payload);
            transfer != nullptr && transfer->kind == TransferKind::kLoad && transfer->target.space == Space::kBufferB)
          loaded += element_count(transfer->shape) * bytes_of(transfer->type);
    EXPECT_EQ(loaded, n * k * bits / 8 + n * k / group * 2);
  }
}

TEST(PackedWeights, BufferBHoldsThemBesideWhatTheyAreExpandedTo) {
  const Plan plan = make_plan(packed_graph({1, 64, 256, 4, 32}), chip(), {});
  const Operator& op = plan.graph.op(0);
  const auto part = make_contraction(plan, op, plan.operators[0].split.items[0]);
  const TilingLimits limits = tiling_limits(plan, op, *part);
  Tiling tiling;
  tiling.partition_m = tiling.tile_m = 1, tiling.partition_n = 32, tiling.partition_k = 256, tiling.tile_n = 16;
  const GemmShape shape{1, 64, 256};
  // Two copies of 32 x 256 in bf16; two places of 16 x (256 / 2 + 1) bytes and of 16 x (8 + 1) scales.
  EXPECT_EQ(buffer_b_bytes(tiling, shape, limits), 2 * 32 * 256 * 2 + 2 * (16 * 129 + 16 * 9 * 2));
}

TEST(PackedWeights, WhatDoesNotFitTogetherIsNamed) {
  const auto message = [](Shape bytes, Shape scales, Attributes attributes) {
    Graph graph;
    const TensorId x = add_tensor(graph, "x", {4, 64}, TensorKind::kInput);
    const TensorId w = add_tensor(graph, "w", std::move(bytes), TensorKind::kConstant);
    const TensorId s = add_tensor(graph, "s", std::move(scales), TensorKind::kConstant);
    try {
      add_op(graph, "p", OpKind::kMatMulNBits, {x, w, s}, std::move(attributes));
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(message({64, 8}, {2, 8}, {.bits = 3, .group_size = 32}), HasSubstr("bits is 3, expected 4|8"));
  EXPECT_THAT(message({64, 8}, {2, 8}, {.bits = 8}), HasSubstr("group_size is 0, expected 1 to 2^40"));
  EXPECT_THAT(message({64, 8}, {2, 8}, {.bits = 4, .group_size = 32}),
              HasSubstr("the rows of the weights' bytes is 64, expected 32"));
  EXPECT_THAT(message({32, 8}, {3, 8}, {.bits = 4, .group_size = 32}),
              HasSubstr("the rows of the scales is 3, expected 2"));
  EXPECT_THAT(message({32, 8}, {2, 7}, {.bits = 4, .group_size = 32}),
              HasSubstr("the columns of the scales is 7, expected 8"));
}

TEST(PackedWeights, AreExpandedToFloatsAlone) {
  const auto message = [](DataType type) {
    try {
      Hardware hardware = chip();
      hardware.core.matmul.rate[static_cast<int>(DataType::kFp8E4m3)] = 1;
      make_plan(packed_graph({4, 8, 64, 8, 32}), hardware, {.type = type});
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(message(DataType::kFp8E4m3), HasSubstr("which is fp8_e4m3: expected fp32|fp16|bf16"));
  EXPECT_THAT(message(DataType::kInt8), HasSubstr("expected fp32|fp16|bf16"));
}

}  // namespace
}  // namespace tilewright::test
