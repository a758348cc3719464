// Splits and tilings given to the planner: used as they are, or refused with the reason.
#include <gmock/gmock.h>

#include "planner/ir/reduction_ranges.h"
#include "sim/base/error.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Graph product() {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {64, 96}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {96, 128}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  return graph;
}

OperatorChoice halves() {
  OperatorChoice choice;
  choice.split.items = {{2, {{0, 64}, {0, 64}}}, {1, {{0, 64}, {64, 128}}}};
  Tiling tiling{.partition_m = 64, .partition_n = 64, .partition_k = 48, .tile_m = 32, .tile_n = 64};
  tiling.need_splitk = tiling.use_acc_buffer = true;
  choice.tilings = {tiling, tiling};
  return choice;
}

void expect_refused(const OperatorChoice& choice, const std::string& reason) {
  PlanOptions options;
  options.choices = {choice};
  try {
    make_plan(product(), chip(), options);
    ADD_FAILURE() << "not refused: " << reason;
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(reason));
  }
}

TEST(Choice, IsUsedAsItIs) {
  PlanOptions options;
  options.choices = {halves()};
  const Plan plan = make_plan(product(), chip(), options);
  EXPECT_EQ(plan.operators[0].split.items[0].core, 2);
  EXPECT_EQ(plan.operators[0].tilings, halves().tilings);
  expect_values(plan);
}

TEST(Choice, WithoutTilingsTheyAreChosen) {
  OperatorChoice choice = halves();
  choice.tilings.clear();
  PlanOptions options;
  options.choices = {choice};
  expect_values(make_plan(product(), chip(), options));
}

TEST(Choice, SplitsThatDoNotCoverTheOutputOnceAreRefused) {
  OperatorChoice choice = halves();
  choice.split.items[1].output[1].begin = 65;
  expect_refused(choice, "leave gaps");
  choice.split.items[1].output[1].begin = 63;
  expect_refused(choice, "overlap");
  choice.split.items[1].output[1].begin = 128;
  expect_refused(choice, "an empty part");
  choice.split.items[1].output[1] = {64, 129};
  expect_refused(choice, "outside");
}

TEST(Choice, CoresMustExistAndHaveOnePartEach) {
  OperatorChoice choice = halves();
  choice.split.items[0].core = 1;
  expect_refused(choice, "core 1 has two parts");
  choice.split.items[0].core = 999;
  expect_refused(choice, "there is no core 999");
}

// On four cores, of a sum over 96.
TEST(Choice, PartsOfASumAreAsManyAsAskedFor) {
  for (const std::int64_t sums : {1, 2, 4}) {
    PlanOptions options;
    options.choices = {{.op = 0, .sums = sums}};
    const Plan plan = make_plan(product(), chip(), options);
    EXPECT_EQ(std::max<std::int64_t>(1, std::ssize(reduction_ranges(plan, 0))), sums);
    expect_values(plan);
  }
  expect_refused({.op = 0, .sums = chip().cores() * 2}, "its sum can be cut into");
}

TEST(Choice, TilingsThatAreIllegalAreRefused) {
  OperatorChoice choice = halves();
  choice.tilings[1].tile_n = 65;
  expect_refused(choice, "tile_n 65 is not in 1..64");
  choice.tilings.pop_back();
  expect_refused(choice, "1 tilings for 2 parts");
}

}  // namespace
}  // namespace tilewright::test
