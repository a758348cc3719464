// Seeded integers fit what the graph does with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/reference/reference.h"

namespace tilewright {
namespace {

TensorId integers(Graph& graph, const std::string& name, TensorKind kind) {
  return graph.add_tensor({.name = name, .shape = {200}, .kind = kind, .is_index = true});
}

TensorValues seeded(const Graph& graph, TensorId id) { return initial_values(graph, id, DataType::kInt32, 1); }

TEST(SeededIntegers, ThatReachAGatherAreBelowItsDimension) {
  Graph graph;
  const TensorId ids = integers(graph, "ids", TensorKind::kInput),
                 moved = integers(graph, "moved", TensorKind::kHidden);
  const TensorId table = graph.add_tensor({.name = "table", .shape = {50, 4}, .kind = TensorKind::kConstant});
  const TensorId rows = graph.add_tensor({.name = "rows", .shape = {200, 4}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "move", .kind = OpKind::kIdentity, .inputs = {ids}, .output = moved});
  graph.add_operator({.name = "gather", .kind = OpKind::kGather, .inputs = {table, moved}, .output = rows});
  const TensorValues values = seeded(graph, ids);
  EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 50);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 25);
}

TEST(SeededIntegers, ThatReachNoneAreMasks) {
  Graph graph;
  const TensorId mask = integers(graph, "mask", TensorKind::kInput);
  const TensorId cast = graph.add_tensor({.name = "cast", .shape = {200}, .kind = TensorKind::kOutput});
  graph.add_operator({.name = "cast", .kind = OpKind::kCast, .inputs = {mask}, .output = cast});
  const TensorValues values = seeded(graph, mask);
  EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](double value) { return value == 0 || value == 1; }));
}

TEST(SeededValues, MasksOfTheLowestFloatStayFinite) {
  Graph graph;
  const TensorId lowest = graph.add_tensor({.name = "lowest",
                                            .shape = {1},
                                            .kind = TensorKind::kConstant,
                                            .data = std::vector<double>{std::numeric_limits<float>::lowest()}});
  for (const DataType type : {DataType::kBf16, DataType::kFp16, DataType::kFp32}) {
    const double value = initial_values(graph, lowest, type, 1).front();
    EXPECT_TRUE(std::isfinite(value));
    EXPECT_EQ(round_to(type, value), value);
    EXPECT_LT(value, -65000);
  }
}

TEST(SeededIntegers, OfAnInputInInt8AreWholeInAnyNetwork) {
  Graph graph;
  const TensorId x =
      graph.add_tensor({.name = "x", .shape = {200}, .kind = TensorKind::kInput, .value_type = ValueType::kInt8});
  const TensorValues values = initial_values(graph, x, DataType::kBf16, 1);
  EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](double value) { return value == std::floor(value); }));
  EXPECT_LT(*std::min_element(values.begin(), values.end()), 0);
}

}  // namespace
}  // namespace tilewright
