// The workloads in traces/: their sizes against the published figures of the networks.
#include <gtest/gtest.h>

#include "planner/import/import.h"

namespace tilewright {
namespace {

Graph workload(const std::string& name, const ImportOptions& options = {}) {
  return import_workload(std::string(TILEWRIGHT_SOURCE_DIR "/traces/") + name, options);
}

std::int64_t macs(const Graph& graph) {
  std::int64_t total = 0;
  for (const Operator& op : graph.operators()) total += mac_count(graph, op);
  return total;
}

TEST(Workloads, BertLargeListIs24LayersAndTheAnswer) {
  const std::int64_t layer = macs(workload("bert_large_layer.onnx"));
  EXPECT_EQ(layer, 384LL * 1024 * (4 * 1024 + 2 * 4096) + 2LL * 384 * 384 * 1024);
  EXPECT_EQ(macs(workload("bert_large_gemms.csv")), 24 * layer + 384LL * 1024 * 2);
}

TEST(Workloads, ResNet50HasItsPublishedNumberOfMultiplyAdds) {
  const std::int64_t convs = macs(workload("resnet50_convs.csv"));
  EXPECT_EQ(convs, 4'087'136'256);  // torchvision v1.5: 4.09 G with the classifier
  EXPECT_EQ(macs(workload("resnet50.onnx")), convs + 2048 * 1000);
  EXPECT_EQ(macs(workload("resnet50.onnx", {.batch = 3})), 3 * (convs + 2048 * 1000));
}

TEST(Workloads, DecoderLayerReadsItsCache) {
  const Graph graph = workload("decoder_layer.onnx");
  EXPECT_EQ(macs(graph), 2048LL * (4 * 2048 + 2 * 8192) + 2LL * 2048 * 513);
  EXPECT_EQ(graph.tensor(*graph.find_tensor("past_key")).kind, TensorKind::kInput);
  EXPECT_EQ(graph.tensor(*graph.find_tensor("present_value")).shape, Shape({1, 32, 513, 64}));
}

TEST(Workloads, ListsTakeTheirTypeFromTheOptions) {
  const Graph graph = workload("bert_large_gemms.csv", {.type = DataType::kInt8});
  EXPECT_EQ(graph.tensor(graph.op(0).inputs[0]).type, DataType::kInt8);
  EXPECT_EQ(graph.tensor(graph.op(0).output).type, DataType::kInt32);
}

TEST(Workloads, YamlGraphTakesTheBatch) {
  const Graph graph = workload("tiny_conv.yaml", {.batch = 2});
  EXPECT_EQ(graph.tensor(*graph.find_tensor("pooled")).shape, Shape({2, 8, 4, 4}));
  EXPECT_EQ(graph.tensor(*graph.find_tensor("shift")).data->at(3), 1.5);
}

}  // namespace
}  // namespace tilewright
