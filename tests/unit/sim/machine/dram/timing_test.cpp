#include <gtest/gtest.h>

#include "sim/machine/dram/dram_checker.h"
#include "sim/machine/dram/dram_timing_state.h"
#include "tests/unit/sim/machine/dram/dram_test_specs.h"

namespace tilewright {
namespace {

// The commands that bring the rows into the state the rule needs, far apart so that only the rule under test can bind.
std::vector<IssuedCommand> lead_in(const DramRule& rule, int bank_a, int bank_b) {
  using enum DramCommand;
  std::vector<IssuedCommand> trace;
  trace.reserve(8);
  Cycles clock = 0;
  const auto issue = [&](DramCommand c, int bank) { trace.push_back({clock += 1000, c, bank, 7}); };
  const bool needs_row_a = is_column(rule.preceding) || rule.preceding == kPrecharge;
  const bool needs_row_b = is_column(rule.following);
  if (needs_row_a) issue(kActivate, bank_a);
  if (needs_row_b && bank_b != bank_a) issue(kActivate, bank_b);
  issue(rule.preceding, bank_a);
  return trace;
}

bool complains_about(const DramRule& rule, const std::optional<std::string>& problem) {
  return problem &&
         problem->find(std::string(rule.name) + " asks for " + std::to_string(rule.distance)) != std::string::npos;
}

class EveryRule : public testing::TestWithParam<const char*> {};

TEST_P(EveryRule, IsIllegalOneClockEarlyAndLegalOnTime) {
  const DramSpec spec = std::string(GetParam()) == "Ddr4" ? ddr4_spec() : hbm2_spec();
  for (const DramRule& rule : timing_rules(spec.timing)) {
    if (rule.window != 1) continue;
    const int bank_b = rule.scope == DramScope::kBank ? 0 : rule.scope == DramScope::kBankGroup ? 1 : 4;
    const std::vector<IssuedCommand> trace = lead_in(rule, 0, bank_b);
    for (int early : {1, 0}) {
      DramChecker checker(spec);
      for (const IssuedCommand& command : trace) ASSERT_EQ(checker.check(command), std::nullopt) << rule.name;
      const auto problem = checker.check({trace.back().clock + rule.distance - early, rule.following, bank_b, 7});
      EXPECT_EQ(complains_about(rule, problem), early == 1)
          << rule.name << " " << name_of(rule.preceding) << " " << name_of(rule.following) << ": "
          << problem.value_or("accepted");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Memories, EveryRule, testing::Values("Ddr4", "Hbm2"));

TEST(DramChecker, FifthActivateWaitsForTheWindow) {
  const DramSpec spec = ddr4_spec();
  for (int early : {1, 0}) {
    DramChecker checker(spec);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(checker.check({4 * i, DramCommand::kActivate, 4 * i, 0}), std::nullopt);
    EXPECT_EQ(checker.check({26 - early, DramCommand::kActivate, 1, 0}).has_value(), early == 1);
  }
}

TEST(DramChecker, RowsAndBusAreChecked) {
  const DramSpec spec = ddr4_spec();
  DramChecker checker(spec);
  EXPECT_TRUE(checker.check({0, DramCommand::kRead, 0, 0}));
  EXPECT_FALSE(checker.check({100, DramCommand::kActivate, 0, 5}));
  EXPECT_TRUE(checker.check({200, DramCommand::kActivate, 0, 5}));
  EXPECT_TRUE(checker.check({300, DramCommand::kRead, 0, 6}));
  EXPECT_TRUE(checker.check({1300, DramCommand::kRefresh, 0, 0}));
  EXPECT_TRUE(checker.check({1300, DramCommand::kRead, 0, 5}));
  EXPECT_TRUE(checker.check({1200, DramCommand::kRead, 0, 5}));
}

TEST(DramTimingState, AgreesWithTheCheckerAfterEachCommand) {
  const DramSpec spec = ddr4_spec();
  DramTimingState timing(spec);
  timing.issue(DramCommand::kActivate, 0, 100);
  EXPECT_EQ(timing.earliest(DramCommand::kRead, 0), 117);
  EXPECT_EQ(timing.earliest(DramCommand::kActivate, 1), 106);
  EXPECT_EQ(timing.earliest(DramCommand::kActivate, 4), 104);
  timing.reset();
  EXPECT_LT(timing.earliest(DramCommand::kRead, 0), 0);
}

}  // namespace
}  // namespace tilewright
