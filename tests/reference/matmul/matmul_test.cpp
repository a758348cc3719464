// The array's cycles: SCALE-Sim's closed forms exactly, Gemmini's RTL within the bands, ONNXim's ideal without the cost
// of an instruction.
#include "validation/matmul.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

const std::string kFolder = TILEWRIGHT_SOURCE_DIR "/tests/reference/matmul/";

MatmulSpec gemmini() { return load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/gemmini_8x8.yaml").core.matmul; }

TEST(MatmulReference, EveryRowWithinItsBand) {
  const ValidationReport report = validate_matmul(kFolder + "scale_sim.csv", kFolder + "gemmini.csv", gemmini());
  EXPECT_TRUE(report.ok()) << to_text(report, false);
  EXPECT_EQ(report.rows.size(), 2 * 81 + 2 * read_csv_table(kFolder + "gemmini.csv").size());
}

// ONNXim rounds a K tile of 342 up to 43 blocks each, hence not exactly.
TEST(MatmulReference, WithoutIssueCostTheIdealCyclesOfOnnximRemain) {
  MatmulSpec spec = gemmini();
  spec.issue_cycles = 0;
  for (const CsvRow& row : read_csv_table(kFolder + "gemmini.csv")) {
    if (row.text("kind") != "gemm") continue;
    const auto ours = static_cast<double>(gemmini_cycles(row.where(), spec, row.text("mapping"), false));
    EXPECT_NEAR(ours / row.number("onnxim_compute_cycles"), 1, 0.009) << row.text("test");
  }
}

TEST(MatmulReference, AMappingWithoutTilesIsTold) {
  EXPECT_THROW(gemmini_cycles("t.csv:3", gemmini(), "[T] N512 C512 M1024", false), UserError);
}

}  // namespace
}  // namespace tilewright
