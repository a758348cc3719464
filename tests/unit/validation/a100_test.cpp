#include "validation/a100.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/hw/config/read_hardware.h"
#include "tests/unit/validation/made_up_table.h"

namespace tilewright {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string small_a100_table() {
  return made_up_table("a100_small.csv",
                       "M,N,K,measured_us,bound\n"
                       "16,256,128,3,memory\n"
                       "1,128,32,2.5,memory\n"
                       "0,128,32,2.5,memory\n"
                       "8192,8192,8192,4000,compute\n");
}

TEST(A100, LargeRowsAreLeftOutOfADrawAndTold) {
  Session chip(load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/a100.yaml"));
  const ValidationReport report = validate_a100(small_a100_table(), chip, {});
  ASSERT_THAT(report.left_out, SizeIs(1)) << "a row of no size";
  ASSERT_THAT(report.rows, SizeIs(2 + 1)) << "and what is asked of their family";
  EXPECT_NEAR(report.rows[1].ours, 2.5, 0.3) << "most of it the launch, which comes from this shape";
  EXPECT_THAT(report.table, HasSubstr("1 large rows of 3 run with --per-family 0 only"));
}

}  // namespace
}  // namespace tilewright
