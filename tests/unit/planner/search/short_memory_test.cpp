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

Hardware with_memory(const char* file, Bytes bytes) {
  Hardware hardware = chip({file});
  hardware.dram.channel_capacity = bytes / hardware.dram.channels;
  return hardware;
}

// 1 MiB between products of 64 KiB.
Graph attention() {
  Graph graph;
  const TensorId q = add_tensor(graph, "q", {2, 512, 16}, TensorKind::kInput);
  const TensorId k = add_tensor(graph, "k", {2, 16, 512}, TensorKind::kInput);
  const TensorId v = add_tensor(graph, "v", {2, 512, 16}, TensorKind::kInput);
  const TensorId scores = add_op(graph, "scores", OpKind::kMatMul, {q, k}, {}, TensorKind::kHidden);
  const TensorId p = add_op(graph, "softmax", OpKind::kSoftmax, {scores}, {.axis = 2}, TensorKind::kHidden);
  add_op(graph, "context", OpKind::kMatMul, {p, v});
  return graph;
}

double cycles_on(const Hardware& hardware) {
  const Plan plan = plan_network(attention(), hardware, {});
  expect_values(plan);
  return PredictionTable(hardware).cycles_up_to(std::numeric_limits<double>::infinity(), plan.program);
}

// Memory holds all of it, all but one of the results between, or neither.
TEST(ShortMemory, AttentionTakesAsLongAsWhereItsScoresHaveRoom) {
  const double ample = cycles_on(with_memory("quad_numa.yaml", Bytes{64} << 20));
  for (const Bytes kib : {2304, 1536, 768})
    EXPECT_LE(cycles_on(with_memory("quad_numa.yaml", kib << 10)), ample) << kib << " KiB";
}

// Copies of 512 KiB of weights in three more memories have room beside 256 KiB of rows, or have not.
TEST(ShortMemory, OperatorsByThemselvesHaveCopiesThatHaveRoomInTheNetwork) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {256, 512}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {512, 512}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {x, w});
  for (const Bytes mib : {2, 4}) {
    const Hardware hardware = with_memory("quad_numa.yaml", mib << 20);
    const std::vector<TilingTask> tasks = tiling_tasks(make_plan(graph, hardware, {}));
    ASSERT_EQ(tasks.size(), 1u);
    EXPECT_EQ(tasks[0].op.asked.replicate, mib == 4);
  }
}

}  // namespace
}  // namespace tilewright::test
