// With overlap none the array needs exactly SCALE-Sim's cycles, in every output- and weight-stationary row.
#include <gtest/gtest.h>

#include "sim/hw/matmul_timing.h"
#include "tests/reference/matmul/csv.h"

namespace tilewright {
namespace {

TEST(ScaleSim, EveryRowIsMetExactly) {
  int compared = 0;
  for (CsvRow& row : read_csv(TILEWRIGHT_SOURCE_DIR "/tests/reference/matmul/scale_sim.csv")) {
    MatmulSpec spec;
    spec.rows = std::stoi(row["array_rows"]);
    spec.columns = std::stoi(row["array_cols"]);
    spec.overlap = TileOverlap::kNone;
    spec.rate.fill(1);
    spec.dataflow = row["dataflow"] == "os" ? Dataflow::kOutputStationary : Dataflow::kWeightStationary;
    ArrayWork work{.m = std::stoll(row["M"]), .n = std::stoll(row["N"]), .k = std::stoll(row["K"])};
    // SCALE-Sim's input-stationary flow keeps A in the array.
    work.a_stationary = row["dataflow"] == "is";
    ArrayTime time = array_time(spec, work);
    EXPECT_EQ(time.blocks, std::stoll(row["folds"])) << row["dataflow"];
    EXPECT_EQ(time.occupancy, std::stoll(row["formula_cycles"])) << row["dataflow"];
    EXPECT_EQ(time.occupancy - 1, std::stoll(row["reported_total_minus_stall"]));  // it counts from cycle 0
    EXPECT_EQ(time.fill + time.drain, 0);
    ++compared;
  }
  EXPECT_EQ(compared, 81);
}

}  // namespace
}  // namespace tilewright
