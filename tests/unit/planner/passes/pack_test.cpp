// Packets of constants: offsets as specified, and the program reads what lies there.
#include "planner/passes/pack/pack.h"

#include <gtest/gtest.h>

#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

TEST(Pack, OffsetsOfTheExample) {
  std::vector<PacketEntry> constants{{"instructions", 0, 2048}, {"filter", 0, 1024}};
  EXPECT_EQ(set_offsets(constants, 256), 3072);
  EXPECT_EQ(constants[0].offset, 0);
  EXPECT_EQ(constants[1].offset, 2048);
  std::vector<PacketEntry> addresses{{"input", 0, 8}, {"output", 0, 8}};
  EXPECT_EQ(set_offsets(addresses, 8), 16);
  EXPECT_EQ(addresses[1].offset, 8);
}

TEST(Pack, WhatIsNoMultipleIsAligned) {
  std::vector<PacketEntry> entries{{"instructions", 0, 100}, {"filter", 0, 300}, {"bias", 0, 4}};
  EXPECT_EQ(set_offsets(entries, 256), 772);
  EXPECT_EQ(entries[1].offset, 256);
  EXPECT_EQ(entries[2].offset, 768);
}

// Packets hold every constant byte once, one run per core in the memory next to it.
TEST(Pack, EveryCoreHasItsConstantsInOneRun) {
  for (const char* file : {"quad_smp.yaml", "quad_numa.yaml", "quad_numa_cache.yaml"}) {
    PlanOptions options;
    options.replicate = false;
    const Plan plan = make_plan(product_chain(32, {64, 96, 48}), chip({file}), options);
    const Bytes region = plan.hardware.dram.region_capacity();
    Bytes weights = 0;
    for (const ConstantPacket& packet : plan.packets) {
      EXPECT_EQ(packet.address / region, plan.hardware.local_region(plan.hardware.cluster_of(packet.core)));
      EXPECT_EQ(packet.constants.front().offset, 0);
      EXPECT_EQ(plan.program.cores[packet.core].fetch_address, packet.address);
      EXPECT_EQ(packet.constant_bytes, packet.constants.back().offset + packet.constants.back().bytes);
      for (std::size_t i = 1; i < packet.constants.size(); ++i) weights += packet.constants[i].bytes;
    }
    EXPECT_EQ(weights, (64 * 96 + 96 * 48) * 2) << file;
    expect_values(plan);
  }
}

// Rows of a table of 4 MiB, then two products.
Graph looked_up(std::int64_t step) {
  Graph graph;
  const TensorId table = add_tensor(graph, "table", {4096, 512}, TensorKind::kConstant);
  std::vector<double> rows;
  for (std::int64_t i = 0; i < 64; ++i) rows.push_back(static_cast<double>(i * step));
  const TensorId ids = graph.add_tensor(
      {.name = "ids", .shape = {64}, .kind = TensorKind::kConstant, .is_index = true, .data = std::move(rows)});
  TensorId x = add_op(graph, "look_up", OpKind::kGather, {table, ids}, {}, TensorKind::kHidden);
  const TensorId w1 = add_tensor(graph, "w1", {512, 1024}, TensorKind::kConstant);
  const TensorId w2 = add_tensor(graph, "w2", {1024, 512}, TensorKind::kConstant);
  x = add_op(graph, "first", OpKind::kMatMul, {x, w1}, {}, TensorKind::kHidden);
  add_op(graph, "second", OpKind::kMatMul, {x, w2});
  return graph;
}

std::vector<int> regions_of_weights(const Plan& plan) {
  std::vector<int> regions;
  for (const char* name : {"w1", "w2"})
    for (const PlacedPiece& piece : plan.tensors[*plan.graph.find_tensor(name)].pieces) regions.push_back(piece.region);
  return regions;
}

// Neighbouring rows lie in one memory, which then held the whole piece of the table in the account of who holds least:
// the weights of everything behind went to the other memories, and products took up to a sixth longer.
TEST(Pack, WhichRowsOfATableAreReadDoesNotMoveOtherConstants) {
  const Plan near = make_plan(looked_up(1), chip({"quad_numa.yaml"}), {});
  const Plan apart = make_plan(looked_up(64), chip({"quad_numa.yaml"}), {});
  EXPECT_EQ(regions_of_weights(near), regions_of_weights(apart));
  expect_values(near);
}

// 6.4 MiB in four memories of 2 MiB. With the constants placed core by core none had 512 KiB left for the output's last
// piece.
TEST(Pack, WhatIsLargeIsPlacedFirstWhereMemoriesAreShort) {
  Hardware small = chip({"quad_numa.yaml"});
  small.dram.channel_capacity = Bytes{1} << 20;
  const Plan plan = make_plan(product_chain(512, {512, 384, 768, 2048}), small, {});
  EXPECT_FALSE(plan.packets.empty());  // verified: legal, and each packet in one run
}

}  // namespace
}  // namespace tilewright::test
