// Measured kernels of other people, which do not come with tilewright: TILEWRIGHT_REFERENCES names their folder.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "sim/hw/config/read_hardware.h"
#include "validation/a100.h"
#include "validation/tpuv4.h"
#include "validation/wormhole.h"

namespace tilewright {
namespace {

// Empty where there is none.
std::string table(const std::string& name) {
  const char* folder = std::getenv("TILEWRIGHT_REFERENCES");
  const std::string path = folder == nullptr ? "" : std::string(folder) + "/" + name + ".csv";
  return std::filesystem::exists(path) ? path : "";
}

double mean_error(const ValidationReport& report, const std::string& group) {
  for (const ValidationGroup& one : report.summary())
    if (one.group == group) return one.mean_abs_error;
  return 100;
}

TEST(Silicon, AFewKernelsOfATpuV4) {
  const std::string csv = table("tpuv4");
  if (csv.empty()) GTEST_SKIP() << "no tpuv4.csv: TILEWRIGHT_REFERENCES names the folder of measured tables";
  Session chip(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/tpu_v4_chip.yaml"));
  const ValidationReport report = validate_tpuv4(csv, chip, {.per_family = 3});
  EXPECT_TRUE(report.left_out.empty());
  EXPECT_LT(mean_error(report, "tpuv4 product, windows given"), 15) << to_text(report, true);
  EXPECT_LT(mean_error(report, "tpuv4 element-wise, from 2 us"), 8) << to_text(report, true);
  EXPECT_LT(mean_error(report, "tpuv4 layernorm"), 15) << to_text(report, true);
}

TEST(Silicon, AFewProductsOfAnA100) {
  const std::string csv = table("a100_gemm");
  if (csv.empty()) GTEST_SKIP() << "no a100_gemm.csv: TILEWRIGHT_REFERENCES names the folder of measured tables";
  Session chip(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/a100.yaml"));
  const ValidationReport report = validate_a100(csv, chip, {.per_family = 3});
  EXPECT_TRUE(report.left_out.empty());
  for (const ValidationGroup& group : report.summary()) EXPECT_LT(group.mean_abs_error, 40) << to_text(report, true);
}

TEST(Silicon, AFewProductsOfWormholeAndBlackhole) {
  const std::string csv = table("wormhole_gemm");
  if (csv.empty()) GTEST_SKIP() << "no wormhole_gemm.csv: TILEWRIGHT_REFERENCES names the folder of measured tables";
  Session wormhole(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/wormhole_n150.yaml"));
  Session blackhole(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/blackhole_p150.yaml"));
  const ValidationReport report = validate_wormhole(csv, {wormhole, blackhole}, {.per_family = 3});
  for (const ValidationGroup& group : report.summary()) EXPECT_LT(group.mean_abs_error, 25) << to_text(report, true);
}

}  // namespace
}  // namespace tilewright
