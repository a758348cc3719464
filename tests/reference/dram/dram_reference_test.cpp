#include <gtest/gtest.h>

#include <algorithm>

#include "sim/base/error.h"
#include "validation/dram.h"

namespace tilewright {
namespace {

constexpr char kCsv[] = TILEWRIGHT_SOURCE_DIR "/tests/reference/dram/dram.csv";

TEST(DramReference, EveryStreamIsInsideItsBand) {
  const ValidationReport report = validate_dram(kCsv);
  EXPECT_GE(report.rows.size(), 200u);
  EXPECT_TRUE(report.ok()) << to_text(report, false);
  // Source and scheduler follow the reference so closely that the closed loop ends on the very same clock.
  const auto groups = report.summary();
  const auto closed = std::find_if(groups.begin(), groups.end(),
                                   [](const ValidationGroup& g) { return g.group == "closed32 bandwidth"; });
  ASSERT_NE(closed, groups.end());
  EXPECT_LT(closed->worst_abs_error, 0.01) << closed->worst;
}

TEST(DramReference, AMissingFileIsTheUsersMistake) { EXPECT_THROW(validate_dram("no/such.csv"), UserError); }

}  // namespace
}  // namespace tilewright
