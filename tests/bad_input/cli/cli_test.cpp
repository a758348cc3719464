// Every case of cases.txt is a mistake of the user on the command line: one message, no result.
#include <regex>

#include "tests/support/case_table.h"
#include "tests/support/command_case.h"

namespace tilewright::testing_support {
namespace {

const std::map<std::string, std::string>& cases() {
  static const auto kCases = case_table(TILEWRIGHT_SOURCE_DIR "/tests/bad_input/cli/cases.txt");
  return kCases;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, lines] : cases()) all.push_back(name);
  return all;
}

class BadCommand : public testing::TestWithParam<std::string> {};

TEST_P(BadCommand, IsExplainedInOneMessage) {
  const ScratchFolder scratch("bad_" + GetParam());
  std::smatch said;
  ASSERT_TRUE(std::regex_match(cases().at(GetParam()), said, std::regex(R"(\$ ?(.*)\nexit (\d+)\n(error: [\s\S]*))")))
      << "a case is '$ arguments', 'exit code' and the message";
  const Outcome outcome = run_tilewright(said[1], scratch.path());
  EXPECT_EQ(outcome.exit_code, std::stoi(said[2]));
  EXPECT_EQ(outcome.files.at("stderr"), said[3]);
  EXPECT_EQ(outcome.files.at("stdout"), "");
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 2)
      << "only stdout and stderr may be there, nothing half-written";
}

INSTANTIATE_TEST_SUITE_P(Cli, BadCommand, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

TEST(Output, ThatDoesNotArriveIsNoSuccess) {
  for (const std::string command : {"constants", "run hw_configs/edge_single.yaml traces/tiny_mlp.onnx"}) {
    const ScratchFolder scratch("full");
    const std::string call = "cd '" TILEWRIGHT_SOURCE_DIR "' && '" TILEWRIGHT_BINARY_DIR "/cli/tilewright' " + command +
                             " >/dev/full 2>'" + (scratch.path() / "stderr").string() + "'";
    EXPECT_EQ(WEXITSTATUS(std::system(call.c_str())), 2) << command;
    EXPECT_EQ(read_file(scratch.path() / "stderr"), "error: standard output: cannot be written, or not all of it\n");
  }
}

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
