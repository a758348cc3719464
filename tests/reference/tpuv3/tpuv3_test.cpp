// The measured chip: the mean error is inside its band, and rows of other sizes are understood.
#include "validation/tpuv3.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

TEST(TpuV3, MeanErrorIsInItsBand) {
  Session core(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/tpu_v3_core.yaml"));
  const ValidationReport report = validate_tpuv3(TILEWRIGHT_SOURCE_DIR "/tests/reference/tpuv3/tpuv3.csv", core);
  EXPECT_EQ(report.rows.back().group, "tpuv3 mean error");
  EXPECT_LE(report.rows.back().ours, 11) << to_text(report, true);
  EXPECT_TRUE(report.rows.back().ok);
}

std::int64_t macs(const Graph& graph) {
  std::int64_t sum = 0;
  for (const Operator& op : graph.operators()) sum += mac_count(graph, op);
  return sum;
}

TEST(TpuV3, OtherSizesAreBuilt) {
  EXPECT_EQ(macs(tpuv3_workload("t:1", "gemm", "gemm_256x512x1024")), 256 * 512 * 1024);
  EXPECT_EQ(macs(tpuv3_workload("t:1", "conv", "N=2;H=14;W=14;C=8;K=16;R=S=3;stride=2;pad=1")), 2 * 7 * 7 * 8 * 16 * 9);
  EXPECT_EQ(macs(tpuv3_workload("t:1", "attention", "heads=12;seq=128;head_dim=64")), 2 * 12 * 128 * 128 * 64);
  EXPECT_EQ(macs(tpuv3_workload("t:1", "network", "resnet18 batch=1")), 1814073344);
  EXPECT_EQ(macs(tpuv3_workload("t:1", "network", "resnet50 batch=2")), 2 * 4089184256);
  EXPECT_EQ(macs(tpuv3_workload("t:1", "network", "bert_large encoder block, seq=128")),
            128 * 12 * 1024 * 1024 + 2 * 16 * 128 * 128 * 64);
}

TEST(TpuV3, UnknownWorkloadsAreTold) {
  try {
    tpuv3_workload("table.csv:7", "network", "alexnet batch=1");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("table.csv:7"));
    EXPECT_THAT(error.what(), testing::HasSubstr("alexnet"));
  }
}

}  // namespace
}  // namespace tilewright
