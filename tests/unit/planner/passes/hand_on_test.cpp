// Operands that cores take from each other: who takes what from whom, what memory still gives, values, and what cannot
// be handed on.
#include "planner/ir/hand_on.h"

#include <gmock/gmock.h>

#include <map>

#include "planner/emit/hazard_linker.h"
#include "planner/ir/contraction.h"
#include "planner/ir/label_check.h"
#include "sim/isa/request_splitter.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kPartRows = 8, kPartColumns = 16, kSteps = 4, kStep = 32;

// One product of the chain, on the first cores of mesh_16 row by row; each part in one partition.
struct HandOnGrid {
  std::int64_t rows = 2, columns = 3;
  bool a = true, b = true;
};

OperatorChoice in_grid(OperatorId op, const HandOnGrid& grid, std::int64_t part_rows = kPartRows,
                       std::int64_t part_columns = kPartColumns) {
  OperatorChoice choice{.op = op};
  for (std::int64_t r = 0; r < grid.rows; ++r)
    for (std::int64_t c = 0; c < grid.columns; ++c) {
      choice.split.items.push_back(
          {static_cast<int>(choice.split.items.size()),
           {{r * part_rows, (r + 1) * part_rows}, {c * part_columns, (c + 1) * part_columns}}});
      choice.tilings.push_back({.partition_m = part_rows,
                                .partition_n = part_columns,
                                .partition_k = kStep,
                                .tile_m = part_rows,
                                .tile_n = part_columns,
                                .hand_on_a = grid.a,
                                .hand_on_b = grid.b,
                                .need_splitk = true,
                                .use_acc_buffer = true});
    }
  return choice;
}

Plan plan_with(std::vector<OperatorChoice> choices, const Graph& graph, const char* file = "mesh_16.yaml",
               EarlyLoads early = EarlyLoads::kNone) {
  PlanOptions options;
  options.choices = std::move(choices);
  options.group = Grouping::kNone, options.early_loads = early;
  return make_plan(graph, chip({file}), options);
}

Graph grid_product(const HandOnGrid& grid) {
  return product_chain(grid.rows * kPartRows, {kSteps * kStep, grid.columns * kPartColumns});
}
Plan grid_plan(const HandOnGrid& grid) { return plan_with({in_grid(0, grid)}, grid_product(grid)); }

// (from, to) of every part.
std::vector<std::pair<int, int>> neighbours(const Plan& plan, HandOn PartHandOns::*operand) {
  std::vector<std::pair<int, int>> pairs;
  for (const PartHandOns& part : hand_ons(plan, 0)) pairs.emplace_back((part.*operand).from, (part.*operand).to);
  return pairs;
}

TEST(HandOn, PartsOfARowTakeAFromTheNextAndThoseOfAColumnB) {
  const Plan plan = grid_plan({});
  using Pair = std::pair<int, int>;
  EXPECT_THAT(neighbours(plan, &PartHandOns::a),
              ElementsAre(Pair(1, -1), Pair(2, 0), Pair(-1, 1), Pair(4, -1), Pair(5, 3), Pair(-1, 4)));
  EXPECT_THAT(neighbours(plan, &PartHandOns::b),
              ElementsAre(Pair(3, -1), Pair(4, -1), Pair(5, -1), Pair(-1, 0), Pair(-1, 1), Pair(-1, 2)));
}

TEST(HandOn, APartIsAStepAheadOfThoseThatTakeFromIt) {
  std::vector<std::int64_t> first;
  for (const PartHandOns& part : hand_ons(grid_plan({}), 0)) first.push_back(part.first_step);
  EXPECT_THAT(first, ElementsAre(0, 1, 2, 1, 2, 3));
}

// Bytes that loads take: from memory, and from each core.
std::map<int, Bytes> loads_into(const Plan& plan, Space space) {
  std::map<int, Bytes> bytes;
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions) {
      const auto* transfer = std::get_if<Transfer>(&instruction.payload);
      if (transfer == nullptr || transfer->target.space != space) continue;
      bytes[transfer->source.owner] += element_count(unpadded(*transfer)) * bytes_of(transfer->type);
    }
  return bytes;
}

// The end of a chain reads everything, every other core its first step.
TEST(HandOn, MemoryGivesAnOperandOnceForAChain) {
  const Plan plan = grid_plan({});
  const Bytes step_a = kPartRows * kStep * 2, step_b = kStep * kPartColumns * 2;
  const auto a = loads_into(plan, Space::kBufferA), b = loads_into(plan, Space::kBufferB);
  EXPECT_EQ(a.at(kOwnMemory), 2 * (kSteps + 2) * step_a);
  EXPECT_EQ(b.at(kOwnMemory), 3 * (kSteps + 1) * step_b);
  for (const int from : {1, 2, 4, 5}) EXPECT_EQ(a.at(from), (kSteps - 1) * step_a);
  for (const int from : {3, 4, 5}) EXPECT_EQ(b.at(from), (kSteps - 1) * step_b);
}

TEST(HandOn, ValuesAreThoseOfTheProduct) {
  for (const HandOnGrid& grid : {HandOnGrid{}, HandOnGrid{4, 4, true, false}, HandOnGrid{4, 4, false, true},
                                 HandOnGrid{1, 7}, HandOnGrid{16, 1}, HandOnGrid{3, 3}})
    expect_values(grid_plan(grid));
}

// Parts in several partitions: chains begin anew where what they read changes, and go on where it does not.
TEST(HandOn, ValuesAreRightInSeveralPartitions) {
  for (const bool outer : {false, true})
    for (const std::int64_t m : {3, 8})
      for (const std::int64_t n : {5, 16}) {
        OperatorChoice choice = in_grid(0, {});
        for (Tiling& t : choice.tilings) {
          t.partition_m = t.tile_m = m, t.partition_n = n, t.tile_n = std::min<std::int64_t>(n, 4);
          t.outer_rowmajor = outer;
        }
        expect_values(plan_with({choice}, grid_product({})));
      }
}

// What the next operator puts into the buffers waits until nobody reads what lay there.
TEST(HandOn, OperatorsFollowEachOther) {
  const HandOnGrid grid{.rows = 2, .columns = 4};
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {2 * kPartRows, 128}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {128, 128}, TensorKind::kConstant);
  const TensorId v = add_tensor(graph, "v", {128, 64}, TensorKind::kConstant);
  const TensorId first = add_op(graph, "first", OpKind::kMatMul, {x, w}, {}, TensorKind::kHidden);
  const TensorId between = add_op(graph, "between", OpKind::kSoftmax, {first}, {.axis = 1}, TensorKind::kHidden);
  add_op(graph, "second", OpKind::kMatMul, {between, v});
  for (const EarlyLoads early : {EarlyLoads::kNone, EarlyLoads::kAlways}) {
    const std::vector<OperatorChoice> choices{in_grid(0, grid, kPartRows, 32), in_grid(2, grid)};
    expect_values(plan_with(choices, graph, "mesh_16.yaml", early));
  }
}

TEST(HandOn, WhatOtherCoresHoldIsNoHazard) {
  const auto taken_from = [](int owner) {
    Transfer transfer;
    transfer.shape[kBoxDims - 1] = 64;
    transfer.source = {Space::kBufferB, 0, {0, 0, 0, 0, 2}, owner};
    transfer.target = {Space::kBufferA, 0, {0, 0, 0, 0, 2}};
    return Instruction{.unit = Unit::kLoad, .payload = transfer};
  };
  Vector fill{.op = VectorOp::kCopy, .shape = {1, 1, 1, 1, 64}};
  fill.target = {Space::kBufferB, 0, {0, 0, 0, 0, 2}, DataType::kBf16};
  fill.a = {Space::kAccumulator, 0, {0, 0, 0, 0, 4}, DataType::kFp32};
  for (const int owner : {kOwnMemory, 1}) {
    HazardLinker linker;
    linker.append(taken_from(owner));
    linker.append({.unit = Unit::kVector, .payload = fill});
    EXPECT_EQ(linker.take().back().waits.count, owner == kOwnMemory ? 1 : 0);
  }
}

std::string refusal(const OperatorChoice& choice, const Graph& graph, const char* file = "mesh_16.yaml") {
  try {
    plan_with({choice}, graph, file);
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(HandOn, WhatCannotBeHandedOnIsRefused) {
  const Graph graph = grid_product({});
  OperatorChoice one_step = in_grid(0, {});
  for (Tiling& t : one_step.tilings) t.partition_k = kSteps * kStep, t.need_splitk = false;
  EXPECT_EQ(refusal(one_step, graph), "tiling chosen for 'p1': hands operands on, but its sum is one step");

  OperatorChoice apart = in_grid(0, {});
  for (Tiling& t : apart.tilings) t.rows_apart = true;
  EXPECT_THAT(refusal(apart, graph), HasSubstr("its parts begin with different rows"));

  OperatorChoice differ = in_grid(0, {});
  differ.tilings.back().partition_k = kStep / 2;
  EXPECT_THAT(refusal(differ, graph), HasSubstr("its parts differ in size"));

  OperatorChoice turned = in_grid(0, {.rows = 2, .columns = 2});
  std::swap(turned.split.items[2].output, turned.split.items[3].output);
  EXPECT_THAT(refusal(turned, grid_product({.rows = 2, .columns = 2})), HasSubstr("its parts are no grid"));

  EXPECT_THAT(refusal(in_grid(0, {}), graph, "big_little.yaml"), HasSubstr("its clusters differ"));
}

// A program that takes something else, or nothing, from others than its tilings say.
TEST(HandOn, TheLabelCheckComparesTilingsWithThePrograms) {
  const Plan plan = grid_plan({});
  ASSERT_NO_THROW(expect_labels_hold(plan));
  Plan silent = plan;
  for (Tiling& t : silent.operators[0].tilings) t.hand_on_b = false;
  EXPECT_THROW(expect_labels_hold(silent), InternalError);
  Plan other = grid_plan({.a = true, .b = false});
  for (Tiling& t : other.operators[0].tilings) t.hand_on_b = true;
  EXPECT_THROW(expect_labels_hold(other), InternalError);
}

}  // namespace
}  // namespace tilewright::test
