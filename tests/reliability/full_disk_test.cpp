// A disk without room, as files that may not grow beyond some size and as a small file system: every command says so in
// one message, leaves nothing half-written, and goes on once there is room to what an undisturbed run leaves.
#include <regex>

#include "tests/reliability/commands.h"

namespace tilewright::testing_support {
namespace {

class FullDisk : public testing::TestWithParam<LastingCommand> {};
INSTANTIATE_TEST_SUITE_P(All, FullDisk, testing::ValuesIn(commands_with_files()),
                         [](const auto& info) { return info.param.name; });

int messages_in(const std::string& log) {
  static const std::regex kMessage("(^|\n)error: ");
  return static_cast<int>(std::distance(std::sregex_iterator(log.begin(), log.end(), kMessage), {}));
}

// What has a place of its own by now is whole: files on their way have been taken away.
void expect_no_leftovers(const fs::path& out) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(out))
    EXPECT_NE(entry.path().filename().string().front(), '.') << entry.path();
}

class Whole {
 public:
  Whole(const LastingCommand& command, const fs::path& out, const fs::path& log) {
    fs::create_directory(out);
    run_to_the_end(command.before, out, log);
    run_to_the_end(with_jobs(command, 2), out, log);
    text_ = replace_all(kept_of(command, out), out.string(), "OUT");
  }
  void expect_same(const LastingCommand& command, const fs::path& out) const {
    EXPECT_EQ(replace_all(kept_of(command, out), out.string(), "OUT"), text_);
  }

 private:
  std::string text_;
};

// Blocks of 1 KiB that a file may have. Not set for what was there before.
TEST_P(FullDisk, FilesThatMayNotGrow) {
  const LastingCommand& command = GetParam();
  const ScratchFolder scratch("file_limit_" + command.name);
  const fs::path log = scratch.path() / "log";
  const Whole whole(command, scratch.path() / "whole", log);
  int refused = 0;
  for (const int blocks : {0, 1, 2, 4, 8, 16, 32, 64, 128, 1024}) {
    SCOPED_TRACE(std::to_string(blocks) + " KiB");
    const fs::path out = scratch.path() / std::to_string(blocks);
    fs::create_directory(out);
    run_to_the_end(command.before, out, log);
    const std::string limited = "(ulimit -f " + std::to_string(blocks) + "; " + with_jobs(command, 2) + ")";
    const int code = Process("set -o pipefail; " + limited + " 2>&1 | cat", out, log).wait();  // the log has room
    if (code != 0) {
      ++refused;
      EXPECT_EQ(code, 2) << read_file(log);
      EXPECT_EQ(messages_in(read_file(log)), 1) << read_file(log);
      expect_no_leftovers(out);
      run_to_the_end(with_jobs(command, 2), out, log);
    }
    whole.expect_same(command, out);
  }
  EXPECT_GT(refused, 0) << "no limit was small enough";
}

// As root, or with a namespace of one's own.
std::string with_file_system(const std::string& line) {
  return "unshare -rm /bin/bash -c '" + replace_all(line, "'", "'\\''") + "'";
}

TEST_P(FullDisk, ASmallFileSystem) {
  const LastingCommand& command = GetParam();
  const ScratchFolder scratch("small_disk_" + command.name);
  const fs::path log = scratch.path() / "log", disk = scratch.path() / "disk";
  fs::create_directory(disk);
  const std::string mount = "mount -t tmpfs -o size=8m none OUT";
  if (Process(with_file_system(mount), disk, log).wait() != 0)
    GTEST_SKIP() << "no file system may be mounted here: " << read_file(log);
  const Whole whole(command, scratch.path() / "whole", log);
  int refused = 0;
  for (const int pages : {0, 1, 2, 4, 8, 16, 64}) {  // left on the disk, of 4 KiB
    SCOPED_TRACE(std::to_string(pages) + " pages");
    const fs::path copy = scratch.path() / std::to_string(pages);
    const std::string fill = "head -c $(($(df --output=avail -B1 OUT | tail -1) - 4096 * " + std::to_string(pages) +
                             ")) /dev/zero > OUT/fill";
    const std::string limited = "{ " + with_jobs(command, 2) + "; }; code=$?";
    const std::string again = "rm OUT/fill && " + with_jobs(command, 2);
    const std::string line = mount + " && { " + replace_all(command.before, "$T", "\"$T\"") +
                             "; } >/dev/null 2>&1 && " + fill + " && { " + limited + "; } && cp -a OUT '" +
                             copy.string() + "' ; rm -f '" + copy.string() + "/fill'; if [ $code != 0 ]; then " +
                             again + " >/dev/null 2>&1; fi; rm -rf '" + copy.string() + ".end'; cp -a OUT '" +
                             copy.string() + ".end'; exit $code";
    const int code = Process("export T; " + with_file_system(line), disk, log).wait();
    if (code != 0) {
      ++refused;
      EXPECT_EQ(code, 2) << read_file(log);
      EXPECT_EQ(messages_in(read_file(log)), 1) << read_file(log);
      expect_no_leftovers(copy);
    }
    const fs::path end = copy.string() + ".end";
    whole.expect_same(command, end);
  }
  EXPECT_GT(refused, 0) << "no disk was small enough";
}

// A result that cannot be printed is none; what is said beside it may be lost.
TEST(FullStream, StandardOutputMattersAndStandardErrorDoesNot) {
  const ScratchFolder scratch("full_stream");
  const fs::path log = scratch.path() / "log";
  for (const std::string line : {"$T run hw_configs/edge_single.yaml traces/tiny_mlp.onnx",
                                 "$T tune hw_configs/edge_single.yaml --m 96 --n 80 --k 64 --budget 4",
                                 "$T explore tests/studies/tiny.yaml -o OUT/study"}) {
    SCOPED_TRACE(line);
    EXPECT_EQ(Process(line + " >/dev/full", scratch.path(), log).wait(), 2);
    EXPECT_EQ(messages_in(read_file(log)), 1) << read_file(log);
    run_to_the_end(line + " 2>/dev/full", scratch.path(), log);
    EXPECT_EQ(Process(line + " --no-such-option 2>/dev/full", scratch.path(), log).wait(), 2);
  }
}

}  // namespace
}  // namespace tilewright::testing_support
