// Two of the same command at once on the same database or folder: nothing is lost, and what is there at the end is what
// one of them alone leaves; a command that cannot share says so in one message.
#include "tests/reliability/commands.h"
#include "tests/support/property.h"

namespace tilewright::testing_support {
namespace {

class TwoWriters : public testing::TestWithParam<LastingCommand> {};
INSTANTIATE_TEST_SUITE_P(All, TwoWriters, testing::ValuesIn(commands_with_files()),
                         [](const auto& info) { return info.param.name; });

TEST_P(TwoWriters, LoseNothing) {
  const LastingCommand& command = GetParam();
  const test::Property wanted = test::property(1, 3);
  const ScratchFolder scratch("writers_" + command.name);
  const fs::path alone = scratch.path() / "alone", log = scratch.path() / "log";
  fs::create_directory(alone);
  run_to_the_end(command.before, alone, log);
  run_to_the_end(with_jobs(command, 1), alone, log);
  const std::string expected = kept_of(command, alone);
  for (int i = 0; i < wanted.cases; ++i) {
    const fs::path out = scratch.path() / std::to_string(i);
    const fs::path logs[] = {scratch.path() / "first", scratch.path() / "second"};
    fs::create_directory(out);
    run_to_the_end(command.before, out, log);
    Process first(with_jobs(command, 1), out, logs[0]), second(with_jobs(command, 1), out, logs[1]);
    const int codes[] = {first.wait(), second.wait()};
    for (int writer = 0; writer < 2; ++writer) {
      const std::string said = read_file(logs[writer]);
      EXPECT_TRUE(codes[writer] == 0 || (codes[writer] == 2 && said.find("error: ") != std::string::npos))
          << codes[writer] << "\n"
          << said;
    }
    EXPECT_TRUE(codes[0] == 0 || codes[1] == 0) << "both were refused";
    EXPECT_EQ(replace_all(kept_of(command, out), out.string(), alone.string()), expected);
  }
}

}  // namespace
}  // namespace tilewright::testing_support
