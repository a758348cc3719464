// Every case folder beside this file is a mistake of the user on the command line: exit code 2, one message, no result.
#include "tests/support/command_case.h"

namespace tilewright::testing_support {
namespace {

const std::string kFolder = "tests/bad_input/cli";

class BadCommand : public testing::TestWithParam<std::string> {};

TEST_P(BadCommand, IsExplainedInOneMessage) {
  const fs::path folder = fs::path(TILEWRIGHT_SOURCE_DIR) / kFolder / GetParam();
  const ScratchFolder scratch("bad_" + GetParam());
  ASSERT_TRUE(fs::exists(folder / "stderr")) << "a case needs the message it expects";
  const Outcome outcome = run_tilewright(command_of(folder), scratch.path());
  compare_with_case(outcome, folder, 2);
  EXPECT_THAT(outcome.files.at("stderr"), testing::StartsWith("error: "));
  EXPECT_EQ(outcome.files.at("stdout"), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 2)
      << "only stdout and stderr may be there, nothing half-written";
}

INSTANTIATE_TEST_SUITE_P(Cli, BadCommand, testing::ValuesIn(cases_in(kFolder)),
                         [](const auto& info) { return info.param; });

TEST(Help, IsNoMistake) {
  const ScratchFolder scratch("help");
  const Outcome outcome = run_tilewright("--help", scratch.path());
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.files.at("stderr"), "");
  for (const char* command : {"run", "plan", "exec", "tile", "copy", "explore", "merge", "validate"})
    EXPECT_THAT(outcome.files.at("stdout"), testing::HasSubstr(command));
}

}  // namespace
}  // namespace tilewright::testing_support
