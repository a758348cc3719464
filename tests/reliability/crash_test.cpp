// Killed with SIGKILL at random moments, again and again, and run once more: what is left is what an undisturbed run
// leaves. TILEWRIGHT_CASES is the number of kills of each command.
#include "sim/base/random.h"
#include "tests/reliability/commands.h"
#include "tests/support/property.h"

namespace tilewright::testing_support {
namespace {

class Crash : public testing::TestWithParam<LastingCommand> {};
INSTANTIATE_TEST_SUITE_P(All, Crash, testing::ValuesIn(lasting_commands()),
                         [](const auto& info) { return info.param.name; });

// Files that a killed process was about to put in place are beside the others; nothing else is new.
void expect_only_leftovers(const fs::path& out, const fs::path& undisturbed) {
  for (const fs::directory_entry& entry : fs::directory_iterator(out)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name.front() == '.' || name.starts_with("tune") || fs::exists(undisturbed / name)) << name;
  }
}

TEST_P(Crash, LosesNothingAndChangesNothing) {
  const LastingCommand& command = GetParam();
  const test::Property wanted = test::property(1, 10);
  const ScratchFolder scratch("crash_" + command.name);
  const fs::path whole = scratch.path() / "whole", log = scratch.path() / "log", broken = scratch.path() / "broken";
  const std::string line = with_jobs(command, 2);
  for (const fs::path& out : {whole, broken}) {
    fs::create_directory(out);
    run_to_the_end(command.before, out, log);
  }
  const auto takes = run_to_the_end(line, whole, log);
  const std::string expected = kept_of(command, whole);
  ASSERT_FALSE(expected.empty());
  SplitMix64 random(wanted.seed);
  for (int i = 0; i < wanted.cases; ++i) {
    const auto moment = takes * random.unit_interval();
    SCOPED_TRACE("kill " + std::to_string(i));
    Process(line, broken, log).kill_after(std::chrono::duration_cast<std::chrono::microseconds>(moment));
    if (i % 5 != 4) continue;  // several kills in a row, then to the end
    run_to_the_end(line, broken, log);
    ASSERT_EQ(replace_all(kept_of(command, broken), broken.string(), whole.string()), expected);
  }
  run_to_the_end(line, broken, log);
  EXPECT_EQ(replace_all(kept_of(command, broken), broken.string(), whole.string()), expected);
  expect_only_leftovers(broken, whole);
}

}  // namespace
}  // namespace tilewright::testing_support
