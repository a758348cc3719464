// Which memory each core begins with when it moves a tensor that lies in several.
#include <gmock/gmock.h>

#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// The regions that the core loads operand B from, each where it first comes.
std::vector<int> regions_of_b(const Plan& plan, int core) {
  std::vector<int> regions;
  for (const Instruction& instruction : plan.program.cores[core].instructions) {
    const auto* load = std::get_if<Transfer>(&instruction.payload);
    if (!load || load->kind != TransferKind::kLoad || load->target.space != Space::kBufferB) continue;
    const int region = plan.hardware.dram.region_of(load->source.address);
    if (std::ranges::find(regions, region) == regions.end()) regions.push_back(region);
  }
  return regions;
}

// Every core of quad_numa computes 64 rows with all of B, which lies in all four regions.
Plan rows_by_core(bool rows_apart) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {1024, 64}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {64, 64}, TensorKind::kInput);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  const PlanOptions options{.placement = Placement::kRoundRobin};
  const Hardware hardware = chip({.file = "quad_numa.yaml"});
  const OperatorPlan planned = make_plan(graph, hardware, options).operators[0];
  OperatorChoice choice{0, planned.split, planned.tilings};
  for (Tiling& tiling : choice.tilings) tiling.rows_apart = rows_apart;
  PlanOptions with = options;
  with.choices = {choice};
  return make_plan(graph, hardware, with);
}

TEST(MemoryTurn, CoresOfAClusterBeginTogetherOrEachWithItsOwn) {
  for (const bool rows_apart : {false, true}) {
    const Plan plan = rows_by_core(rows_apart);
    for (int core = 0; core < 16; ++core) {
      const int first = core / 4 + (rows_apart ? core % 4 : 0);
      std::vector<int> expected;
      for (int i = 0; i < 4; ++i) expected.push_back((first + i) % 4);
      EXPECT_EQ(regions_of_b(plan, core), expected) << "core " << core;
    }
  }
}

}  // namespace
}  // namespace tilewright::test
