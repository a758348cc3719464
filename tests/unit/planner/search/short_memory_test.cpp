// Networks on chips whose memory is short: what is predicted of an operator by itself has no more memory than the
// network leaves it, and chains that would be cut into parts are walked by rows where that is faster.
#include <gtest/gtest.h>

#include <limits>

#include "planner/search/tiling/plan_network.h"
#include "planner/search/tiling/prediction_table.h"
#include "planner/search/tiling/tiling_network.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Hardware numa_with(Bytes bytes) { return with_memory(chip({"quad_numa.yaml"}), bytes); }

double cycles_on(const Hardware& hardware) {
  const Plan plan = plan_network(long_attention(), hardware, {});
  expect_values(plan);
  return PredictionTable(hardware).cycles_up_to(std::numeric_limits<double>::infinity(), plan.program);
}

// Memory holds all of it, all but one of the results between, or neither.
TEST(ShortMemory, AttentionTakesAsLongAsWhereItsScoresHaveRoom) {
  const double ample = cycles_on(numa_with(Bytes{64} << 20));
  for (const Bytes kib : {2304, 1536, 768}) EXPECT_LE(cycles_on(numa_with(kib << 10)), ample) << kib << " KiB";
}

// 9 MiB between the products, whose parts leave no room for some ways to cut them: those are no ways to cut the part.
TEST(ShortMemory, PartsAreNotCutFurtherToTryOtherSplits) {
  const Plan plan = plan_network(wide_between(1536, 160, 3072, 96, 1), numa_with(Bytes{8} << 20), {});
  EXPECT_EQ(plan.order.size(), 3u) << "walked by rows";
  expect_values(plan);
}

// Copies of 512 KiB of weights in three more memories have room beside 256 KiB of rows, or have not.
TEST(ShortMemory, OperatorsByThemselvesHaveCopiesThatHaveRoomInTheNetwork) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {256, 512}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {512, 512}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {x, w});
  for (const Bytes mib : {2, 4}) {
    const Hardware hardware = numa_with(mib << 20);
    const std::vector<TilingTask> tasks = tiling_tasks(make_plan(graph, hardware, {}));
    ASSERT_EQ(tasks.size(), 1u);
    EXPECT_EQ(tasks[0].op.asked.replicate, mib == 4);
  }
}

}  // namespace
}  // namespace tilewright::test
