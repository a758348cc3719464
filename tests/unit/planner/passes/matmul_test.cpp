// Matrix products from graph to linked program, values included.
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Graph matmul_graph(Shape a, Shape b, Attributes attributes = {}) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", std::move(a), TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", std::move(b), TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {x, w}, std::move(attributes));
  return graph;
}

TEST(MatMul, WholeMatricesFitTheBuffers) { expect_values(make_plan(matmul_graph({48, 40}, {40, 56}), chip(), {})); }

TEST(MatMul, LargerThanEveryBufferSplitsK) {
  const Plan plan = make_plan(matmul_graph({67, 150}, {150, 91}),
                              chip({.buffer_a = 2048, .buffer_b = 2048, .accumulator = 4096}), {});
  EXPECT_TRUE(plan.operators[0].tilings[0].need_splitk);
  expect_values(plan);
}

TEST(MatMul, EitherOperandTransposed) {
  expect_values(make_plan(matmul_graph({40, 33}, {40, 29}, {.transpose_a = true}), chip(), {}));
  expect_values(make_plan(matmul_graph({33, 40}, {29, 40}, {.transpose_b = true}), chip(), {}));
}

TEST(MatMul, BatchesOfOwnMatrices) {
  expect_values(make_plan(matmul_graph({24, 5, 12}, {24, 12, 7}), chip(), {}));
  expect_values(make_plan(matmul_graph({3, 33, 64}, {3, 64, 70}), chip({.buffer_a = 4096, .buffer_b = 4096}), {}));
}

TEST(MatMul, OneElement) { expect_values(make_plan(matmul_graph({1, 1}, {1, 1}), chip(), {})); }

TEST(MatMul, IntegersAreExact) {
  expect_values(make_plan(matmul_graph({30, 64}, {64, 20}), chip(), {.type = DataType::kInt8}));
}

TEST(MatMul, PiecesNextToTheirCores) {
  const Plan plan = make_plan(matmul_graph({64, 32}, {32, 64}), chip({.file = "quad_numa.yaml"}), {});
  EXPECT_GT(plan.tensors[2].pieces.size(), 1u);
  expect_values(plan);
}

TEST(MatMul, BufferTooSmallIsTheUsersError) {
  EXPECT_THROW(make_plan(matmul_graph({8, 8}, {8, 8}), chip({.accumulator = 4}), {}), UserError);
}

}  // namespace
}  // namespace tilewright::test
