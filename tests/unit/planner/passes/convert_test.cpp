// Data brought into the form the chip reads: constants ahead of time, inputs by the program.
#include <gtest/gtest.h>

#include "planner/passes/label/convert_constants.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Graph product(Shape a_shape, Shape w_shape, bool zero_extend) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", std::move(a_shape), TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", std::move(w_shape), TensorKind::kConstant);
  Attributes attributes;
  attributes.zero_extend = zero_extend;
  add_op(graph, "product", OpKind::kMatMul, {a, w}, attributes);
  return graph;
}

TEST(ConvertConstants, NarrowWeightsAreTurnedAndPadded) {
  const Plan plan =
      make_plan(product({1, 1024}, {1000, 4}, true), chip({"label_example.yaml"}), {.type = DataType::kFp16});
  EXPECT_EQ(plan.graph.tensor(1).shape, (Shape{4, 1024}));
  EXPECT_EQ(plan.labels[1].fixed.sizes, (Shape{1000, 4}));
  EXPECT_EQ(plan.labels[1].dynamic.order, "NC");
  EXPECT_EQ(plan.labels[1].dynamic.padding, (std::vector<Padding>{{0, 0}, {24, 0}}));
  expect_values(plan);
}

TEST(ConvertConstants, WideOnesStayAsTheyAre) {
  const Plan plan = make_plan(product({8, 100}, {100, 512}, false), chip(), {});
  EXPECT_EQ(plan.labels[1].dynamic.order, "CN");
  EXPECT_EQ(plan.graph.tensor(1).shape, (Shape{100, 512}));
}

TEST(ConvertInputs, IsAnOperatorOfTheProgram) {
  PlanOptions options{.type = DataType::kFp16};
  options.convert_inputs = true;
  for (const char* file : {"quad_smp.yaml", "label_example_cache.yaml"}) {
    const Plan plan = make_plan(product({16, 96}, {96, 40}, false), chip({file}), options);
    ASSERT_EQ(plan.graph.operators().size(), 2u);
    const Operator& cast = plan.graph.op(plan.order[0]);
    EXPECT_EQ(cast.kind, OpKind::kCast);
    EXPECT_EQ(cast.name, "a.converted");
    EXPECT_EQ(plan.tensors[cast.inputs[0]].type, DataType::kFp32);
    EXPECT_EQ(plan.tensors[cast.output].type, DataType::kFp16);
    EXPECT_FALSE(plan.operators[plan.order[0]].split.items.empty());
    expect_values(plan);
  }
}

TEST(ConvertInputs, NothingIsDoneWhereTheTypeIsRight) {
  PlanOptions options{.type = DataType::kFp32};
  options.convert_inputs = true;
  EXPECT_EQ(make_plan(product({16, 96}, {96, 40}, false), chip(), options).graph.operators().size(), 1u);
}

}  // namespace
}  // namespace tilewright::test
