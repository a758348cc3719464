// Energy adds up, bounds are what can be worked out by hand, the value check finds a wrong operator.
#include <gtest/gtest.h>

#include <cmath>

#include "planner/estimate/roofline.h"
#include "planner/measure/check.h"
#include "planner/measure/measure.h"
#include "planner/passes/pass.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

Hardware edge() { return load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/edge_single.yaml"); }

// x [32, 64] * w [64, 48] -> relu.
Graph two_operators() {
  Graph graph;
  const TensorId x = graph.add_tensor({.name = "x", .shape = {32, 64}, .kind = TensorKind::kInput});
  const TensorId w = graph.add_tensor({.name = "w", .shape = {64, 48}, .kind = TensorKind::kConstant});
  const TensorId h = graph.add_tensor({.name = "h", .shape = {32, 48}, .kind = TensorKind::kHidden});
  const TensorId y = graph.add_tensor({.name = "y", .shape = {32, 48}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "product", .kind = OpKind::kMatMul, .inputs = {x, w}, .output = h});
  graph.add_operator({.name = "relu", .kind = OpKind::kRelu, .inputs = {h}, .output = y});
  return graph;
}

TEST(Roofline, WorkedByHand) {
  const Hardware chip = edge();
  const Plan plan = make_plan(two_operators(), chip, {.fuse = false});
  const Roofline product = roofline_of(plan, 0);
  EXPECT_DOUBLE_EQ(product.compute_cycles, 32.0 * 64 * 48 / 256);  // 16 x 16 array
  EXPECT_EQ(product.compulsory_bytes, 2 * (32 * 64 + 64 * 48 + 32 * 48));
  EXPECT_DOUBLE_EQ(roofline_of(plan, 1).compute_cycles, 0);
  EXPECT_EQ(operators_roofline_of(plan).compulsory_bytes, product.compulsory_bytes + 2 * 2 * 32 * 48);
}

TEST(Roofline, OfTheNetworkCountsWhatIsGivenAndWhatIsAskedForOnce) {
  const Plan plan = make_plan(two_operators(), edge(), {.fuse = false});
  const Roofline network = network_roofline_of(plan);
  EXPECT_EQ(network.compulsory_bytes, 2 * (32 * 64 + 64 * 48 + 32 * 48)) << "not what is between the two operators";
  EXPECT_DOUBLE_EQ(network.compute_cycles, operators_roofline_of(plan).compute_cycles);
}

TEST(Roofline, OfTheNetworkReadsAWeightOfTwoOperatorsOnce) {
  Graph graph;
  const TensorId x = graph.add_tensor({.name = "x", .shape = {32, 32}, .kind = TensorKind::kInput});
  const TensorId w = graph.add_tensor({.name = "w", .shape = {32, 32}, .kind = TensorKind::kConstant});
  const TensorId h = graph.add_tensor({.name = "h", .shape = {32, 32}});
  const TensorId y = graph.add_tensor({.name = "y", .shape = {32, 32}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "first", .kind = OpKind::kMatMul, .inputs = {x, w}, .output = h});
  graph.add_operator({.name = "second", .kind = OpKind::kMatMul, .inputs = {h, w}, .output = y});
  const Plan plan = make_plan(graph, edge(), {.group = Grouping::kNone});
  EXPECT_EQ(network_roofline_of(plan).compulsory_bytes, 3 * 2 * 32 * 32);
  EXPECT_EQ(operators_roofline_of(plan).compulsory_bytes, 6 * 2 * 32 * 32);
}

TEST(Energy, ComponentsAndOperatorsAddUp) {
  const Hardware chip = edge();
  Session session(chip);
  const Measurement run = measure(session, make_plan(two_operators(), chip, {.fuse = false}));
  const EnergyReport report = energy_of(chip, run.result);
  double components = 0, operators = report.static_pj;
  for (const ComponentEnergy& component : report.components) components += component.picojoules;
  for (const double op : report.operators_pj) operators += op;
  EXPECT_DOUBLE_EQ(components, report.total_pj);
  EXPECT_NEAR(operators, report.total_pj, 1e-9 * report.total_pj);
  EXPECT_DOUBLE_EQ(run.energy_pj, report.total_pj);
  EXPECT_DOUBLE_EQ(report.static_pj, 0.05 * static_cast<double>(run.result.time));
}

// The last term is the sum of the others but for 0.001, which is rounded as they are.
TEST(Check, ProductsWhoseTermsCancelAreHeldAgainstTheTerms) {
  constexpr int kTerms = 193;
  std::vector<double> terms;
  double sum = 0;
  for (int i = 1; i < kTerms; ++i) sum += static_cast<double>(terms.emplace_back(static_cast<float>(std::sin(i * i))));
  terms.push_back(static_cast<float>(1e-3 - sum));
  Graph graph;
  const TensorId x = graph.add_tensor(
      {.name = "x", .shape = {1, kTerms}, .kind = TensorKind::kConstant, .data = std::vector<double>(kTerms, 1.0 / 3)});
  const TensorId w = graph.add_tensor({.name = "w", .shape = {kTerms, 1}, .kind = TensorKind::kInput, .data = terms});
  const TensorId y = graph.add_tensor({.name = "y", .shape = {1, 1}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "product", .kind = OpKind::kMatMul, .inputs = {x, w}, .output = y});
  Hardware chip = edge();
  chip.core.matmul.rate[static_cast<int>(DataType::kFp32)] = 1;
  Session session(chip);
  const Plan plan = make_plan(graph, chip, {.type = DataType::kFp32});
  const Measurement run = measure(session, plan, value_run(plan, 1));
  const CheckReport report = compare_values(plan, run.result.kept);
  EXPECT_TRUE(report.passed()) << report.operators.front().worst_error << " of " << report.operators.front().scale;
  EXPECT_GT(report.operators.front().scale, 1);
}

// 65527 is infinity as fp16, and right; infinity for what would have fitted is not.
TEST(Check, WhatIsPastTheLargestNumberIsStoredAsInfinity) {
  Graph graph;
  const TensorId x =
      graph.add_tensor({.name = "x", .shape = {1, 2}, .kind = TensorKind::kConstant, .data = {{65504, 23}}});
  const TensorId w = graph.add_tensor({.name = "w", .shape = {2, 1}, .kind = TensorKind::kInput, .data = {{1, 1}}});
  const TensorId y = graph.add_tensor({.name = "y", .shape = {1, 1}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "product", .kind = OpKind::kMatMul, .inputs = {x, w}, .output = y});
  const Hardware chip = edge();
  Session session(chip);
  const Plan plan = make_plan(graph, chip, {.type = DataType::kFp16});
  RunResult result = measure(session, plan, value_run(plan, 1)).result;
  EXPECT_TRUE(std::isinf(tensor_values(plan, y, result.kept).at(0)));
  EXPECT_TRUE(compare_values(plan, result.kept).passed());
  for (SegmentData& segment : result.kept)
    if (segment.segment == "x") store_element(segment.bytes.data(), DataType::kFp16, 60000);
  EXPECT_FALSE(compare_values(plan, result.kept).passed()) << "infinity instead of 60023";
}

TEST(Measure, OneOperatorOfAGraphStandsAlone) {
  Session session(edge());
  const Graph single = single_operator_graph(two_operators(), 1);
  ASSERT_EQ(single.operators().size(), 1u);
  EXPECT_EQ(single.tensor(single.op(0).inputs[0]).kind, TensorKind::kInput);
  EXPECT_GT(measure(session, make_plan(single, session.hardware(), {})).cycles, 0);
}

TEST(Check, RightValuesPassAndAWrongOneIsFoundWhereItIs) {
  Session session(edge());
  const Plan plan = make_plan(two_operators(), session.hardware(), {.fuse = false});
  RunResult result = session.run(plan.program, value_run(plan, 1));
  EXPECT_TRUE(compare_values(plan, result.kept).passed());
  for (SegmentData& segment : result.kept)
    if (segment.segment == "y") store_element(segment.bytes.data(), DataType::kBf16, 100);
  const CheckReport report = compare_values(plan, result.kept);
  ASSERT_EQ(report.operators.size(), 2u);
  EXPECT_TRUE(report.operators[0].passed());
  EXPECT_FALSE(report.operators[1].passed());
  EXPECT_EQ(report.worst()->op, 1);
}

}  // namespace
}  // namespace tilewright
