// Constants next to the cores that read them: a copy in each of their memories, every load from the nearest, values as
// before, and none where there is no room or no use for them.
#include "planner/passes/replicate/replicate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "planner/ir/access.h"
#include "planner/ir/constant_copies.h"
#include "planner/ir/region_allocator.h"
#include "planner/passes/pack/pack.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// A product whose rows are cut over all cores, each of which reads all of the weights.
Graph read_by_all() {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {512, 64}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {64, 32}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {x, w});
  return graph;
}

PlanOptions by_rows(const Hardware& hardware) {
  PlanOptions options;
  Split split{{}, "rows"};
  const std::int64_t rows = 512 / hardware.cores();
  for (int core = 0; core < hardware.cores(); ++core)
    split.items.push_back({core, {{core * rows, (core + 1) * rows}, {0, 32}}, {}});
  options.choices = {{0, split, {}}};
  return options;
}

Plan planned_by_rows(const Hardware& hardware) { return make_plan(read_by_all(), hardware, by_rows(hardware)); }

const TensorPlan& weights_of(const Plan& plan) { return plan.tensors[*plan.graph.find_tensor("w")]; }

std::size_t copies_in(const Plan& plan) {
  std::size_t count = 0;
  for (const PlacedPiece& piece : weights_of(plan).pieces) count += piece.copies.size();
  return count;
}

// Regions other than the core's own that a load of the weights reads from.
std::set<int> far_regions(const Plan& plan) {
  std::set<int> far;
  for (std::size_t core = 0; core < plan.program.cores.size(); ++core)
    for (const Instruction& instruction : plan.program.cores[core].instructions) {
      const auto* load = std::get_if<Transfer>(&instruction.payload);
      if (!load || load->kind != TransferKind::kLoad) continue;
      const Segment& segment =
          plan.program.segments[SegmentTable(plan.program).find(load->source.address, load->source.address + 1)];
      const int region = plan.hardware.dram.region_of(load->source.address);
      const int own = plan.hardware.local_region(plan.hardware.cluster_of(static_cast<int>(core)));
      if (segment.kind == SegmentKind::kConstant && region != own) far.insert(region);
    }
  return far;
}

TEST(Replicate, EveryCoreReadsConstantsFromTheMemoryNextToIt) {
  const Plan plan = planned_by_rows(chip({"quad_numa.yaml"}));
  EXPECT_EQ(copies_in(plan), 3 * weights_of(plan).pieces.size());
  for (const PlacedPiece& piece : weights_of(plan).pieces) {
    std::set<int> regions{piece.region};
    for (const PieceCopy& copy : piece.copies) regions.insert(copy.region);
    EXPECT_EQ(regions, (std::set<int>{0, 1, 2, 3}));
  }
  EXPECT_TRUE(far_regions(plan).empty());
  expect_values(plan);
}

TEST(Replicate, ConstantsLieOnceWhereNobodyWantsCopies) {
  const Hardware numa = chip({"quad_numa.yaml"});
  EXPECT_EQ(copies_in(planned_by_rows(chip({"quad_smp.yaml"}))), 0u) << "one memory";
  PlanOptions options = by_rows(numa);
  options.replicate = false;
  const Plan once = make_plan(read_by_all(), numa, options);
  EXPECT_EQ(copies_in(once), 0u);
  EXPECT_FALSE(far_regions(once).empty());
  options.replicate = true, options.placement = Placement::kRoundRobin;
  EXPECT_EQ(copies_in(make_plan(read_by_all(), numa, options)), 0u) << "memories in turn";
  Hardware joins = numa;
  joins.network.multicast = 8;
  EXPECT_EQ(copies_in(planned_by_rows(joins)), 0u) << "readers of one place are joined";
}

// Where all else ends in each memory of an unpacked plan without copies; it is the same in all of them.
Bytes filled(const Hardware& hardware, PlanOptions options) {
  options.replicate = false;
  const Plan plan = make_plan(read_by_all(), hardware, options, {.stop_after = "link"});
  Bytes end = 0;
  for (const Segment& segment : plan.program.segments)
    end = std::max(end, segment.address % hardware.dram.region_capacity() + segment.bytes);
  return round_up(end, Bytes{256});
}

// Four pieces of 1 KiB, each in another memory: three copies in each fit into 3 KiB, and a byte less leaves one of the
// pieces to be read from afar, by which all would wait for one memory.
TEST(Replicate, AConstantHasAllItsCopiesOrNone) {
  const Hardware hardware = chip({"quad_numa.yaml"});
  PlanOptions options = by_rows(hardware);
  const Bytes left = hardware.dram.region_capacity() - filled(hardware, options);
  options.memory_held = 4 * (left - 3072);
  EXPECT_EQ(copies_in(make_plan(read_by_all(), hardware, options)), 12u);
  options.memory_held = 4 * (left - 3071);
  const Plan once = make_plan(read_by_all(), hardware, options);
  EXPECT_EQ(copies_in(once), 0u);
  expect_values(once);
}

// Copies that are taken back leave the program as it is without.
TEST(Replicate, CopiesCanBeTakenBack) {
  const Hardware hardware = chip({"quad_numa.yaml"});
  PlanOptions options = by_rows(hardware);
  Plan plan = make_plan(read_by_all(), hardware, options, {.stop_after = "replicate"});
  EXPECT_EQ(copied_bytes(plan), 12 * 1024);
  EXPECT_TRUE(take_back_largest_copies(plan));
  EXPECT_EQ(copied_bytes(plan), 0);
  options.replicate = false;
  EXPECT_EQ(plan.program, make_plan(read_by_all(), hardware, options, {.stop_after = "replicate"}).program);
  EXPECT_FALSE(take_back_largest_copies(plan));
}

// Segments that fill every memory of a plan with copies, and so many bytes more.
void fill_up(Plan& plan, Bytes more) {
  const RegionAllocator taken(plan);
  const Bytes memory = plan.hardware.dram.region_capacity();
  for (int region = 0; region < plan.hardware.dram.regions; ++region)
    plan.program.segments.push_back({fmt::format("filling{}", region), SegmentKind::kHidden, DataType::kInt8,
                                     region * memory + taken.used(region), memory - taken.used(region) + more});
}

// Three copies of 1 KiB in each memory.
TEST(Replicate, PackingTakesCopiesBackThatItHasNoRoomBeside) {
  const Hardware hardware = chip({"quad_numa.yaml"});
  const Plan copied = make_plan(read_by_all(), hardware, by_rows(hardware), {.stop_after = "replicate"});
  const auto packed = [&](Bytes more) {
    Plan plan = copied;
    fill_up(plan, more);
    pack(plan);
    verify_pack(plan);
    return plan;
  };
  EXPECT_EQ(copied_bytes(packed(0)), 12 * 1024);
  const Plan once = packed(3072);
  EXPECT_EQ(copied_bytes(once), 0);
  EXPECT_FALSE(far_regions(once).empty());
  EXPECT_THROW(packed(3073), NoRoomInDram);
}

// Weights that two products share.
TEST(Replicate, WhatSeveralOperatorsReadIsCopied) {
  Graph graph;
  const TensorId table = add_tensor(graph, "w", {64, 64}, TensorKind::kConstant);
  const TensorId x = add_tensor(graph, "x", {256, 64}, TensorKind::kInput);
  const TensorId y = add_op(graph, "first", OpKind::kMatMul, {x, table}, {}, TensorKind::kHidden);
  add_op(graph, "second", OpKind::kMatMul, {y, table});
  const Plan plan = make_plan(graph, chip({"quad_numa.yaml"}), {.group = Grouping::kNone});
  EXPECT_TRUE(far_regions(plan).empty());
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
