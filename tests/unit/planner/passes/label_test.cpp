// Labels: their text both ways, categories and dimensions of the tensors of a graph.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "sim/base/error.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

DynamicLabel sample() {
  DynamicLabel label;
  label.type = DataType::kFp16;
  label.order = "NC";
  label.granule = {4, 512};
  label.padding = {{0, 0}, {24, 0}};
  label.size = 8192;
  label.split = {{'C', {{0, 256}, {256, 512}, {512, 768}, {768, 1024}}}};
  return label;
}

TEST(LabelText, OfTheExampleIsThatOfTheMethod) {
  EXPECT_EQ(to_text(StaticLabel{Category::kInputNeuron, DataType::kFp32, "NC", {1, 1024}}),
            "static: IN, float32, dim_NC, {1 1024}");
  EXPECT_EQ(to_text(sample()),
            "dynamic: float16, dim_NC, tiling {4 512}, padding {0:0 24:0}, size 8192, "
            "split C[(0,255),(256,511),(512,767),(768,1023)], mem, no");
}

DataType any_type() {
  return *rc::gen::element(DataType::kFp32, DataType::kFp16, DataType::kBf16, DataType::kInt8, DataType::kInt32);
}

std::string any_order() { return std::string("NCDTHW").substr(0, *rc::gen::inRange(1, 7)); }

std::vector<Range> any_ranges() {
  std::vector<Range> ranges;
  std::int64_t at = *rc::gen::inRange(0, 10);
  for (int pieces = *rc::gen::inRange(1, 6); pieces > 0; --pieces) {
    ranges.push_back({at, at + *rc::gen::inRange(1, 5000)});
    at = ranges.back().end;
  }
  return ranges;
}

RC_GTEST_PROP(LabelText, StaticComesBack, ()) {
  StaticLabel label;
  label.category = static_cast<Category>(*rc::gen::inRange(0, kCategoryCount));
  label.type = any_type();
  label.order = any_order();
  for (std::size_t d = 0; d < label.order.size(); ++d) label.sizes.push_back(*rc::gen::inRange(1, 1 << 30));
  RC_ASSERT(parse_static_label(to_text(label)) == label);
}

RC_GTEST_PROP(LabelText, DynamicComesBack, ()) {
  DynamicLabel label;
  label.type = any_type();
  label.order = any_order();
  for (const char dimension : label.order) {
    label.granule.push_back(*rc::gen::inRange(1, 1024));
    label.padding.push_back({*rc::gen::inRange(0, 100), *rc::gen::inRange(-100, 100) / 8.0});
    if (*rc::gen::inRange(0, 2) == 0) label.split.push_back({dimension, any_ranges()});
  }
  label.size = *rc::gen::inRange<Bytes>(0, Bytes{1} << 40);
  label.store = {*rc::gen::element(StoreLevel::kMem, StoreLevel::kCluster), *rc::gen::inRange(0, 64)};
  label.swap = static_cast<Swap>(*rc::gen::inRange(0, 4));
  RC_ASSERT(parse_dynamic_label(to_text(label)) == label);
}

std::string refusal(const std::string& text) {
  try {
    text.starts_with("static") ? void(parse_static_label(text)) : void(parse_dynamic_label(text));
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LabelText, MistakesAreToldWithTheirPlace) {
  EXPECT_THAT(refusal("static: XX, float32, dim_NC, {1 1024}"), testing::HasSubstr("at 'XX, float32"));
  EXPECT_THAT(refusal("static: XX, float32, dim_NC, {1 1024}"),
              testing::HasSubstr("expected INS|IN|CN|IW|CW|AUX|ON|OW|HN"));
  EXPECT_THAT(refusal("static: IN, float64, dim_NC, {1 1024}"), testing::HasSubstr("expected float32|float16|"));
  EXPECT_THAT(refusal("static: IN, float32, dim_NC, {1}"), testing::HasSubstr("as many sizes as dimensions"));
  EXPECT_THAT(refusal("static: IN, float32, dim_NC, {1 1024} "), testing::HasSubstr("expected the end"));
  std::string gap = to_text(sample());
  gap.replace(gap.find("(256"), 4, "(257");
  EXPECT_THAT(refusal(gap), testing::HasSubstr("consecutive ranges"));
  std::string nowhere = to_text(sample());
  nowhere.replace(nowhere.find("mem"), 3, "disk");
  EXPECT_THAT(refusal(nowhere), testing::HasSubstr("expected mem|cluster, or one of them with its number"));
}

TEST(StaticLabels, CategoriesFollowDegreesAndRoles) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {2, 8, 6, 6}, TensorKind::kInput);
  const TensorId filter = add_tensor(graph, "filter", {4, 8, 3, 3}, TensorKind::kConstant);
  const TensorId bias = add_tensor(graph, "bias", {4}, TensorKind::kConstant);
  const TensorId other = add_tensor(graph, "other", {2, 4, 4, 4}, TensorKind::kConstant);
  const TensorId conv = add_op(graph, "conv", OpKind::kConv, {x, filter, bias}, {}, TensorKind::kHidden);
  const TensorId sum = add_op(graph, "sum", OpKind::kAdd, {conv, other});
  const std::vector<StaticLabel> labels = static_labels(graph);
  EXPECT_EQ(to_text(labels[x]), "static: IN, float32, dim_NCHW, {2 8 6 6}");
  EXPECT_EQ(to_text(labels[filter]), "static: CW, float32, dim_NCHW, {4 8 3 3}");
  EXPECT_EQ(to_text(labels[bias]), "static: AUX, float32, dim_C, {4}");
  EXPECT_EQ(to_text(labels[other]), "static: CN, float32, dim_NCHW, {2 4 4 4}");
  EXPECT_EQ(to_text(labels[conv]), "static: HN, float32, dim_NCHW, {2 4 4 4}");
  EXPECT_EQ(to_text(labels[sum]), "static: ON, float32, dim_NCHW, {2 4 4 4}");
}

TEST(StaticLabels, AnInputThatIsReadAsWeightsIsAnInputWeight) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {3, 5, 7}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {3, 7, 9}, TensorKind::kInput);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  const std::vector<StaticLabel> labels = static_labels(graph);
  EXPECT_EQ(to_text(labels[a]), "static: IN, float32, dim_NTC, {3 5 7}");
  EXPECT_EQ(to_text(labels[b]), "static: IW, float32, dim_DCN, {3 7 9}");
}

// Splits name dimensions by their letters.
TEST(StaticLabels, EachDimensionOfWeightsHasALetterOfItsOwn) {
  for (std::size_t rank = 2; rank < 10; ++rank) {
    Graph graph;
    Shape shape(rank, 3);
    const TensorId a = add_tensor(graph, "a", shape, TensorKind::kInput);
    const TensorId b = add_tensor(graph, "b", shape, TensorKind::kInput);
    add_op(graph, "product", OpKind::kMatMul, {a, b});
    const std::string order = static_labels(graph)[b].order;
    EXPECT_EQ(order.size(), rank);
    EXPECT_EQ(std::set<char>(order.begin(), order.end()).size(), rank) << order;
    EXPECT_EQ(order.substr(rank - 2), "CN");
  }
}

}  // namespace
}  // namespace tilewright::test
