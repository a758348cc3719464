// Cores that use the same rows begin with different ones where their tilings say so.
#include "planner/passes/lower/row_stagger.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

constexpr std::int64_t kProductRows = 64, kTile = 4, kTiles = kProductRows / kTile;

// Every core of quad_numa computes all rows of its columns.
Plan columns_by_core(bool rows_apart, std::int64_t partition_k = 24) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {kProductRows, 24}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {24, 16 * 8}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  OperatorChoice choice;
  for (int core = 0; core < 16; ++core) {
    choice.split.items.push_back({core, {{0, kProductRows}, {core * 8, core * 8 + 8}}});
    choice.tilings.push_back({.partition_m = kProductRows,
                              .partition_n = 8,
                              .partition_k = partition_k,
                              .tile_m = kTile,
                              .tile_n = 8,
                              .rows_apart = rows_apart,
                              .need_splitk = partition_k < 24,
                              .use_acc_buffer = true});
  }
  PlanOptions options;
  options.choices = {choice};
  return make_plan(graph, chip({"quad_numa.yaml"}), options);
}

std::vector<std::size_t> first_tiles(const Plan& plan) {
  std::vector<std::size_t> first;
  for (std::size_t item = 0; item < plan.operators[0].split.items.size(); ++item)
    first.push_back(first_row_tile(plan, 0, item, kTiles));
  return first;
}

TEST(RowStagger, CoresOfAClusterBeginAQuarterOfTheRowsApart) {
  EXPECT_THAT(first_tiles(columns_by_core(true)),
              testing::ElementsAre(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  EXPECT_THAT(first_tiles(columns_by_core(false)), testing::Each(0));
}

// Pieces of A that the cores load first.
std::set<Address> first_loads_of_a(const Plan& plan) {
  std::set<Address> sources;
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions) {
      const auto* transfer = std::get_if<Transfer>(&instruction.payload);
      if (transfer == nullptr || transfer->target.space != Space::kBufferA) continue;
      sources.insert(transfer->source.address);
      break;
    }
  return sources;
}

TEST(RowStagger, ProgramsLoadTheirFirstTileFirst) {
  EXPECT_EQ(first_loads_of_a(columns_by_core(true)).size(), 16u);
  EXPECT_EQ(first_loads_of_a(columns_by_core(false)).size(), 1u);
}

TEST(RowStagger, ValuesAreThoseOfTheProduct) {
  for (const std::int64_t partition_k : {24, 8}) expect_values(columns_by_core(true, partition_k));
}

}  // namespace
}  // namespace tilewright::test
