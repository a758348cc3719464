// Points of the tiling space: their text, the plans they make, and the point of a plan.
#include "planner/ir/tiling_point.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "planner/passes/tile/tiling_choice.h"
#include "sim/base/error.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Graph product(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {batch, m, k}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {batch, k, n}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  return graph;
}

Graph convolution() {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {2, 6, 9, 11}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {10, 6, 3, 3}, TensorKind::kConstant);
  Attributes attributes;
  attributes.strides = {1, 1}, attributes.dilations = {1, 1}, attributes.pads = {1, 1, 1, 1};
  add_op(graph, "convolution", OpKind::kConv, {x, w}, attributes);
  return graph;
}

Plan plan_of(const TilingPoint& point, const Graph& graph, const Hardware& hardware) {
  PlanOptions options;
  options.choices = {choice_of(point, graph, 0, hardware, options.type)};
  return make_plan(graph, hardware, options);
}

TilingPoint random_point() {
  auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
  TilingPoint p{up_to(3), up_to(4), up_to(4), up_to(40), up_to(40), up_to(80), up_to(20), up_to(20)};
  p.outer_rowmajor = *rc::gen::arbitrary<bool>();
  p.inner_rowmajor = *rc::gen::arbitrary<bool>();
  p.a_stationary = *rc::gen::arbitrary<bool>();
  return p;
}

TEST(TilingPoint, TextIsReadBack) {
  const std::string text = "parts 1x4x2 partition 96x256x1024 tile 48x64 order mn/nm hold b";
  const TilingPoint point = parse_tiling_point(text, "here");
  EXPECT_EQ(point.parts_m, 4);
  EXPECT_EQ(point.partition_n, 256);
  EXPECT_EQ(point.tile_n, 64);
  EXPECT_TRUE(point.outer_rowmajor);
  EXPECT_FALSE(point.inner_rowmajor);
  EXPECT_EQ(to_string(point), text);
}

TEST(TilingPoint, OtherTextIsRefused) {
  for (const char* text : {"", "parts 1x4", "parts 1x4x2 partition 96x256x1024 tile 48x64 order mn/nm hold c",
                           "parts 1x4x2 partition 96x256x1024 tile 48x64 order mn/xm hold b",
                           "parts 1x4x0 partition 96x256x1024 tile 48x64 order mn/nm hold b",
                           "parts 1x4x2 partition 96x256x1024 tile 48x64 order mn/nm hold b "})
    try {
      parse_tiling_point(text, "column 3");
      ADD_FAILURE() << "not refused: " << text;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("column 3: got '"));
    }
}

TEST(TilingPoint, ThePlannersOwnPointMakesItsPlanAgain) {
  const Hardware hardware = chip({});
  for (const Graph& graph : {product(1, 64, 128, 96), convolution()}) {
    const Plan plan = make_plan(graph, hardware, {});
    const Plan again = plan_of(point_of(plan, 0), plan.graph, hardware);
    EXPECT_EQ(point_of(again, 0), point_of(plan, 0));
    ASSERT_EQ(again.operators[0].tilings.size(), plan.operators[0].tilings.size());
    for (std::size_t i = 0; i < plan.operators[0].tilings.size(); ++i) {
      Tiling mine = again.operators[0].tilings[i], theirs = plan.operators[0].tilings[i];
      theirs.utilisation = mine.utilisation, theirs.reason = mine.reason;
      EXPECT_EQ(mine, theirs) << "part " << i;
    }
  }
}

RC_GTEST_PROP(TilingPoint, PlansWhatIsCheckedAndComputesTheRightNumbers, ()) {
  const Hardware hardware = chip({.buffer_a = 2048, .buffer_b = 2048, .accumulator = 2048});
  const Graph graph = *rc::gen::arbitrary<bool>() ? product(2, 23, 29, 70) : convolution();
  const TilingPoint point = random_point();
  RC_ASSERT(parse_tiling_point(to_string(point), "") == point);
  const std::string fault =
      check_choice(choice_of(point, graph, 0, hardware, DataType::kBf16), graph, hardware, DataType::kBf16);
  RC_TAG(fault.empty() ? "legal" : "refused");
  if (fault.empty())
    expect_values(plan_of(point, graph, hardware));
  else
    RC_ASSERT_THROWS_AS(plan_of(point, graph, hardware), UserError);
}

}  // namespace
}  // namespace tilewright::test
