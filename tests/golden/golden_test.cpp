// Every case folder beside this file is a call of the program and the text it must produce, byte by byte.
#include "tests/support/command_case.h"

namespace tilewright::testing_support {
namespace {

const std::string kFolder = "tests/golden";

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, GivesTheExpectedText) {
  const fs::path folder = fs::path(TILEWRIGHT_SOURCE_DIR) / kFolder / GetParam();
  const ScratchFolder scratch("golden_" + GetParam());
  compare_with_case(run_tilewright(command_of(folder), scratch.path()), folder, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(cases_in(kFolder)),
                         [](const auto& info) { return info.param; });

// Two calls, every byte of both result folders and both streams.
void expect_same_bytes(const std::string& command, std::size_t files) {
  const ScratchFolder first("first"), second("second");
  const Outcome one = run_tilewright(command, first.path()), two = run_tilewright(command, second.path());
  EXPECT_EQ(one.exit_code, 0) << one.files.at("stderr");
  EXPECT_EQ(one.files.size(), files + 2);
  ASSERT_EQ(one.files.size(), two.files.size());
  for (const auto& [name, content] : one.files) EXPECT_TRUE(content == two.files.at(name)) << name << " differs";
}

TEST(Determinism, TwoRunsOfANetworkGiveIdenticalFolders) {
  expect_same_bytes(
      "run tests/golden/chips/four_cores.yaml traces/tiny_attention.onnx -o OUT --check --trace --program", 5);
}

TEST(Determinism, TwoPlansGiveIdenticalFolders) {
  expect_same_bytes("plan tests/golden/chips/four_cores.yaml traces/tiny_attention.onnx -o OUT", 3);
}

TEST(Determinism, TheProgramOfARunGivesTheSameTimeWhenExecuted) {
  const ScratchFolder run("run"), exec("exec");
  const std::string hardware = "tests/golden/chips/four_cores.yaml";
  const Outcome planned = run_tilewright("run " + hardware + " traces/tiny_mlp.onnx -o OUT --program", run.path());
  ASSERT_EQ(planned.exit_code, 0) << planned.files.at("stderr");
  const std::string program = (run.path() / "out/program.tw").string();
  const Outcome executed = run_tilewright("exec " + hardware + " " + program + " -o OUT", exec.path());
  ASSERT_EQ(executed.exit_code, 0) << executed.files.at("stderr");
  const auto time_of = [](const Outcome& outcome) {
    const std::string& json = outcome.files.at("summary.json");
    const std::size_t at = json.find("\"time_ps\"");
    return json.substr(at, json.find('\n', at) - at);
  };
  EXPECT_EQ(time_of(planned), time_of(executed));
  EXPECT_EQ(planned.files.at("program.tw"), executed.files.at("program.tw"));
}

// The case schedule_run runs this file.
TEST(Schedule, WritesTheOrderOfItsCase) {
  const fs::path root = TILEWRIGHT_SOURCE_DIR, expected = root / "tests/golden/traces/two_blocks_order.yaml";
  const ScratchFolder scratch("schedule");
  const fs::path written = scratch.path() / "order.yaml";
  const Outcome outcome =
      run_tilewright(command_of(root / "tests/golden/schedule_two_blocks") + " -o " + written.string(), scratch.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.files.at("stderr");
  if (std::getenv("TILEWRIGHT_UPDATE_GOLDEN")) fs::copy_file(written, expected, fs::copy_options::overwrite_existing);
  EXPECT_EQ(read_file(written), read_file(expected));
}

}  // namespace
}  // namespace tilewright::testing_support
