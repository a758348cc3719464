// Folders that may not be read, paths longer than the system takes, devices and pipes: every command refuses them in
// one message, and leaves them as they are.
#include <sys/stat.h>

#include "tests/reliability/process.h"

namespace tilewright::testing_support {
namespace {

// Every option that takes a path, which stands as PATH; $E is a chip, $W a workload. Those that need a path with an
// extension have it behind PATH.
const std::vector<std::string>& lines_with_a_path() {
  static const std::vector<std::string> kLines{"run PATH/x.yaml $W",
                                               "run $E PATH/x.onnx",
                                               "run $E PATH/x.yaml",
                                               "run $E PATH/x.csv",
                                               "run $E $W --inputs PATH",
                                               "run $E $W --outputs PATH",
                                               "run $E $W --tilings PATH/x.db",
                                               "run $E $W --group PATH/x.yaml",
                                               "run $E $W --store PATH/x.yaml",
                                               "run $E $W --order PATH/x.yaml",
                                               "run $E $W -o PATH",
                                               "run $E $W -o PATH/x",
                                               "run $E $W --waveform PATH/x.vcd",
                                               "run $E traces/llm/gpt2.json --routing PATH/x",
                                               "labels $E $W --strategies PATH/x.yaml",
                                               "exec $E PATH/x.tw",
                                               "asm PATH/x.tw -o OUT/x",
                                               "asm traces/hello_matmul.tw -o PATH/x",
                                               "disasm PATH/x.twb",
                                               "copy $E PATH/x.yaml",
                                               "explore PATH/x.yaml -o OUT/x",
                                               "explore tests/studies/tiny.yaml -o PATH",
                                               "explore tests/studies/tiny.yaml -o PATH/x",
                                               "merge PATH",
                                               "merge OUT/study -o PATH/x",
                                               "schedule $E traces/tiny_conv.yaml --budget 2 -o PATH/x.yaml",
                                               "report PATH -o OUT/x.html",
                                               "report OUT/run -o PATH/x.html",
                                               "db build $E --random 1 -o PATH/x.db",
                                               "db build $E --shapes PATH/x -o OUT/x.db",
                                               "db stats PATH/x.db",
                                               "db merge PATH/x.db -o OUT/x.db",
                                               "db merge OUT/a.db -o PATH/x.db",
                                               "db import PATH/x.json -o OUT/x.db",
                                               "db plot PATH/x.csv -o OUT/x"};
  return kLines;
}

class Paths : public testing::Test {
 protected:
  Paths() {
    run_to_the_end("$T explore tests/studies/tiny.yaml -o OUT/study && $T run " + chip_ + " " + workload_ +
                       " -o OUT/run && $T db build " + chip_ +
                       " --random 1 --budget 1 --max-visits 2 --max-boundary 1 -o OUT/a.db && chmod a+rwx OUT",
                   out(), log_);
  }
  fs::path out() const { return scratch_.path() / "out"; }

  // A line with a path, on a chip and a workload.
  std::string line_with(const std::string& pattern, const std::string& path) const {
    return replace_all(replace_all(replace_all(pattern, "$E", chip_), "$W", workload_), "PATH", path);
  }

  // `before`: what a command is run by.
  void expect_refusals(const std::string& path, const std::string& before = "") {
    for (const std::string& pattern : lines_with_a_path()) {
      SCOPED_TRACE(pattern);
      EXPECT_EQ(Process(before + "$T " + line_with(pattern, path), out(), log_).wait(), 2)
          << read_file(log_).substr(0, 500);
      const std::string said = read_file(log_);
      EXPECT_NE(said.find("error: "), std::string::npos) << said.substr(0, 500);
      EXPECT_EQ(said.find("internal error"), std::string::npos) << said.substr(0, 500);
    }
  }

  const std::string chip_ = "hw_configs/edge_single.yaml", workload_ = "traces/tiny_mlp.onnx";
  const ScratchFolder scratch_{"paths"};
  const fs::path log_ = scratch_.path() / "log";

 private:
  const bool made_ = fs::create_directory(out());
};

TEST_F(Paths, OfFoldersThatMayNotBeRead) {
  const fs::path folder = out() / "closed";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::none);
  // Root may read everything.
  const std::string nobody = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  if (Process(nobody + "test -x \"$T\"", out(), log_).wait() != 0) GTEST_SKIP() << "no other user may run the program";
  expect_refusals(folder.string(), nobody);
  EXPECT_TRUE(fs::is_empty(folder) || geteuid() != 0);
}

TEST_F(Paths, OfFiveThousandCharacters) {
  std::string path = out().string();
  while (path.size() < 5000) path += "/" + std::string(100, 'n');
  expect_refusals(path);
  expect_refusals(out().string() + "/" + std::string(5000, 'n'));
}

// What writes a file writes into them; what makes a database or a folder refuses them.
TEST_F(Paths, OfDevicesPipesAndLinks) {
  const fs::path pipe = out() / "pipe", link = out() / "link", target = out() / "target";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_directory(target);
  fs::create_symlink(target, link);
  for (const std::string line : {"run $E $W -o PATH", "explore tests/studies/tiny.yaml -o PATH",
                                 "db build $E --random 1 -o PATH", "db merge OUT/a.db -o PATH"}) {
    for (const std::string& path : {std::string("/dev/null"), pipe.string()}) {
      SCOPED_TRACE(line + " " + path);
      EXPECT_EQ(Process("$T " + line_with(line, path), out(), log_).wait(), 2) << read_file(log_);
    }
  }
  EXPECT_EQ(Process("$T " + line_with("run $E $W -o PATH", link.string()), out(), log_).wait(), 2);
  run_to_the_end("$T asm traces/hello_matmul.tw -o OUT/link/x && $T asm traces/hello_matmul.tw -o /dev/null", out(),
                 log_);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  for (const fs::directory_entry& entry : fs::directory_iterator(out()))
    EXPECT_EQ(entry.path().filename().string().find("-journal"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace tilewright::testing_support
