// Whose records may be mixed: those of one model with the same constants.
#include "planner/measure/simulator_version.h"

#include <gtest/gtest.h>

#include "planner/constants/constant_table.h"

namespace tilewright {
namespace {

class SimulatorVersion : public testing::Test {
 protected:
  void TearDown() override { detail::constants_in_effect = {}; }
  static std::string version_with(const std::string& constants) {
    detail::constants_in_effect = {};
    set_constants(constants, "HERE");
    return simulator_version();
  }
};

TEST_F(SimulatorVersion, IsAnotherWithChangedConstants) {
  const std::string standard = simulator_version();
  const std::string changed = version_with("refine_gain=0.01");
  EXPECT_TRUE(changed.starts_with(standard + "-")) << changed;
  EXPECT_EQ(changed.size(), standard.size() + 17);
  EXPECT_EQ(changed, version_with("refine_gain=0.01"));
  EXPECT_NE(changed, version_with("refine_gain=0.02"));
  EXPECT_NE(changed, version_with("hidden_load_weight=0.01"));
  EXPECT_NE(changed, version_with("refine_gain=0.01,buffering=3"));
}

TEST_F(SimulatorVersion, DependsOnValuesNotOnHowTheyAreWritten) {
  EXPECT_EQ(version_with("refine_gain=0.01,buffering=3"), version_with("buffering=3,refine_gain=0.010"));
}

TEST_F(SimulatorVersion, IsTheUsualOneWithDefaultsWrittenOut) {
  const std::string standard = simulator_version();
  EXPECT_EQ(version_with("refine_gain=0.005,buffering=2"), standard);
}

}  // namespace
}  // namespace tilewright
