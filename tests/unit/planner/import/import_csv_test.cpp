// What the lists may leave open: column order, comments, optional columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/import/import.h"
#include "tests/unit/planner/import/onnx_text.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;

Graph import_list(const std::string& content, DataType type = DataType::kBf16) {
  return import_csv(temporary_file(content, ".csv"), {.type = type});
}

const Tensor& operand(const Graph& graph, OperatorId op, int index) {
  return graph.tensor(graph.op(op).inputs.at(index));
}

TEST(ImportCsv, ColumnsAreFoundByName) {
  const Graph graph = import_list("# products\n\nLAYER,k,  n,m\nfirst,5,3,2\n");
  EXPECT_THAT(operand(graph, 0, 0).shape, ElementsAre(2, 5));
  EXPECT_THAT(operand(graph, 0, 1).shape, ElementsAre(5, 3));
  EXPECT_EQ(operand(graph, 0, 0).kind, TensorKind::kInput);
  EXPECT_EQ(operand(graph, 0, 1).kind, TensorKind::kConstant);
  EXPECT_THAT(graph.tensor(graph.op(0).output).shape, ElementsAre(2, 3));
}

TEST(ImportCsv, CountRepeatsALayer) {
  const Graph graph = import_list("Layer, M, N, K, Count,\r\na, 2, 3, 4, 3,\r\nb, 2, 3, 4, 1,\r\n");
  ASSERT_EQ(graph.operators().size(), 4u);
  EXPECT_EQ(graph.op(2).name, "a.2");
  EXPECT_EQ(graph.op(3).name, "b");
}

TEST(ImportCsv, ConvolutionListWithAndWithoutItsOptionalColumns) {
  const std::string base =
      "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,";
  const Graph plain = import_list(base + "\nc, 9, 7, 3, 3, 4, 8, 2,\n", DataType::kInt8);
  EXPECT_THAT(plain.tensor(plain.op(0).output).shape, ElementsAre(1, 8, 4, 3));
  EXPECT_EQ(plain.tensor(plain.op(0).output).type, DataType::kInt32);
  const Graph full = import_list(base + " Batch, Pad, Groups,\nc, 9, 7, 3, 3, 4, 8, 1, 2, 1, 4\n");
  EXPECT_THAT(full.tensor(full.op(0).output).shape, ElementsAre(2, 8, 9, 7));
  EXPECT_THAT(operand(full, 0, 1).shape, ElementsAre(8, 1, 3, 3));
}

}  // namespace
}  // namespace tilewright
