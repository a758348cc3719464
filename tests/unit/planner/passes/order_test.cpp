// Given orders: used as they are, or refused with the first operator at fault; memory by the order.
#include "planner/passes/order/order.h"

#include <gmock/gmock.h>

#include "planner/ir/lifetime.h"
#include "sim/base/error.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Plan planned(const Labels& order) {
  return make_plan(branches({8, 32}), chip(), {.type = DataType::kFp32, .order = order, .order_source = "order.yaml"});
}

void expect_refused(const Labels& order, const std::string& reason) {
  try {
    planned(order);
    ADD_FAILURE() << "not refused: " << reason;
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()), "order.yaml: operator " + reason);
  }
}

TEST(Order, IsUsedAsItIs) {
  const Plan plan = planned({"right", "left", "small", "little", "sum"});
  EXPECT_THAT(plan.order, testing::ElementsAre(2, 0, 1, 3, 4));
  expect_values(plan);
}

TEST(Order, TheFirstOperatorAtFaultIsNamed) {
  expect_refused({"right", "small", "left", "little", "sum"}, "'small' stands before 'left', whose result it reads");
  expect_refused({"left", "left", "small", "right", "sum"}, "'left' stands twice");
  expect_refused({"left", "right", "small", "little"}, "'sum' is missing");
  expect_refused({"left", "conv1", "small"}, "'conv1' is none of graph ''");
}

TEST(Order, EqualNamesAreToldApartByTheirResults) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {4, 4}, TensorKind::kInput);
  for (const char* output : {"a", "b"}) {
    Operator op{.name = "same", .kind = OpKind::kRelu, .inputs = {x}};
    op.output = add_tensor(graph, output, {4, 4}, TensorKind::kOutput);
    graph.add_operator(op);
  }
  EXPECT_THAT(operator_labels(graph), testing::ElementsAre("same -> a", "same -> b"));
  EXPECT_THAT(find_order(graph, {"same -> b", "same -> a"}, "order"), testing::ElementsAre(1, 0));
}

TEST(Order, RenamingsMayBeLeftOut) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {4, 6}, TensorKind::kInput);
  const TensorId view = add_tensor(graph, "view", {24}, TensorKind::kHidden);
  graph.add_operator({.name = "flat", .kind = OpKind::kReshape, .inputs = {x}, .output = view});
  add_op(graph, "relu", OpKind::kRelu, {view});
  EXPECT_THAT(find_order(graph, {"relu"}, "order"), testing::ElementsAre(0, 1));
  EXPECT_THAT(find_order(graph, {"flat", "relu"}, "order"), testing::ElementsAre(0, 1));
}

TEST(Lifetime, FollowsTheOrder) {
  // Bytes: x, left and right 1024 each, small, little and sum 32. x and sum stay.
  EXPECT_EQ(peak_memory(planned({"left", "small", "right", "little", "sum"})), 1024 + 32 + 1024 + 32);
  EXPECT_EQ(peak_memory(planned({"right", "left", "small", "little", "sum"})), 1024 + 1024 + 1024 + 32);
  const Plan plan = planned({"right", "left", "small", "little", "sum"});
  const auto lives = lifetimes(plan);
  EXPECT_EQ(lives[*plan.graph.find_tensor("right.out")].first, 0);
  EXPECT_EQ(lives[*plan.graph.find_tensor("right.out")].last, 3);
  EXPECT_EQ(lives[*plan.graph.find_tensor("left.out")].first, 1);
  EXPECT_EQ(lives[*plan.graph.find_tensor("left.out")].last, 2);
}

}  // namespace
}  // namespace tilewright::test
