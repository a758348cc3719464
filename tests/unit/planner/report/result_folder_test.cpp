#include "planner/report/run/result_folder.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "sim/base/error.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

class ResultFolder : public testing::Test {
 protected:
  ResultFolder() : root_(fs::path(testing::TempDir()) / ("result_folder_" + std::to_string(getpid()))) {
    fs::create_directories(root_);
  }
  ~ResultFolder() override { fs::remove_all(root_); }

  std::string at(const std::string& name) const { return (root_ / name).string(); }
  std::string read(const std::string& name) const {
    std::ifstream file(root_ / name);
    return (std::ostringstream() << file.rdbuf()).str();
  }
  std::size_t entries() const { return std::distance(fs::directory_iterator(root_), fs::directory_iterator()); }

  fs::path root_;
};

TEST_F(ResultFolder, WritesEveryFileAndLeavesNothingElse) {
  write_result_folder(at("a/b/"), {{"summary.json", "{}"}, {"operators.csv", "x"}});
  EXPECT_EQ(read("a/b/summary.json"), "{}");
  EXPECT_EQ(read("a/b/operators.csv"), "x");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "a"), fs::directory_iterator()), 1);
}

// Whoever looks at any moment finds the old folder or the new one, whole.
TEST_F(ResultFolder, IsThereAtEveryMomentOfItsReplacement) {
  write_result_folder(at("r"), {{"summary.json", "0"}});
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 1; i <= 300; ++i) write_result_folder(at("r"), {{"summary.json", std::to_string(i)}});
    done = true;
  });
  int missing = 0;
  while (!done) missing += fs::exists(root_ / "r" / "summary.json") ? 0 : 1;
  writer.join();
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(ResultFolder, ReplacesAnEarlierResultAsAWhole) {
  write_result_folder(at("r"), {{"summary.json", "old"}, {"trace.json", "old"}});
  write_result_folder(at("r"), {{"summary.json", "new"}});
  EXPECT_EQ(read("r/summary.json"), "new");
  EXPECT_FALSE(fs::exists(root_ / "r/trace.json"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(ResultFolder, RefusesToDeleteOtherFiles) {
  fs::create_directories(root_ / "r");
  std::ofstream(root_ / "r/thesis.txt") << "years of work";
  EXPECT_THROW(check_result_folder(at("r")), UserError);
  EXPECT_THROW(write_result_folder(at("r"), {{"summary.json", "{}"}}), UserError);
  EXPECT_EQ(read("r/thesis.txt"), "years of work");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(ResultFolder, RefusesWhatCannotBeAFolder) {
  std::ofstream(root_ / "file") << "x";
  EXPECT_THROW(check_result_folder(at("file")), UserError);
  EXPECT_THROW(check_result_folder(at("file/below")), UserError);
  EXPECT_THROW(check_result_folder("."), UserError);
  EXPECT_THROW(check_result_folder(""), UserError);
}

TEST_F(ResultFolder, AFailureLeavesTheEarlierResult) {
  write_result_folder(at("r"), {{"summary.json", "old"}});
  EXPECT_THROW(write_result_folder(at("r"), {{"summary.json", "new"}, {std::string(300, 'n'), "x"}}), UserError);
  EXPECT_EQ(read("r/summary.json"), "old");
  EXPECT_EQ(entries(), 1u);
}

}  // namespace
}  // namespace tilewright
