// The same binary, inputs and seeds give the same bytes under another locale, time zone and stack limit, in another
// folder and with any number of processes.
#include "tests/reliability/commands.h"

namespace tilewright::testing_support {
namespace {

class Determinism : public testing::TestWithParam<LastingCommand> {};
INSTANTIATE_TEST_SUITE_P(All, Determinism, testing::ValuesIn(lasting_commands()),
                         [](const auto& info) { return info.param.name; });

struct Surroundings {
  std::string name, setting;
  int jobs;
};
const Surroundings kSurroundings[] = {
    {"one_process", "true", 1},
    {"four_processes", "true", 4},
    {"turkish_in_samoa", "export LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 TZ=Pacific/Apia", 2},
    {"german_numbers", "export LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 TZ=Europe/Berlin", 2},
    {"small_stack", "ulimit -s 1024; export HOME=/nonexistent COLUMNS=20 TERM=dumb", 2},
};

TEST_P(Determinism, SurroundingsDoNotShow) {
  const LastingCommand& command = GetParam();
  const ScratchFolder scratch("determinism_" + command.name);
  const fs::path log = scratch.path() / "log", plain = scratch.path() / "plain";
  const auto made = [&](const fs::path& out, const std::string& setting, int jobs) {
    fs::create_directory(out);
    run_to_the_end(setting + "; " + command.before, out, log);
    run_to_the_end(setting + "; " + with_jobs(command, jobs), out, log);
    return replace_all(kept_of(command, out), out.string(), plain.string());
  };
  const std::string expected = made(plain, "export LC_ALL=C TZ=UTC", 2);
  for (const Surroundings& around : kSurroundings) {
    const fs::path out = scratch.path() / around.name;
    EXPECT_EQ(made(out, around.setting, around.jobs), expected) << around.name;
  }
}

}  // namespace
}  // namespace tilewright::testing_support
