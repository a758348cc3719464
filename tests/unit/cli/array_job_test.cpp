// The driver of job arrays, with programs of its own in the place of Slurm's.
#include "cli/array_job.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "cli/process_limits.h"
#include "cli/shipped.h"
#include "sim/base/error.h"
#include "tests/support/command_case.h"

namespace tilewright {
namespace {

using namespace testing_support;

TEST(ArrayText, JoinsNeighbours) {
  EXPECT_EQ(array_text({3}), "3");
  EXPECT_EQ(array_text({1, 2, 3, 5, 7, 8}), "1-3,5,7-8");
}

class FakeSlurm : public testing::Test {
 protected:
  FakeSlurm() {
    const char* path = std::getenv("PATH");
    setenv("PATH", (folder() + ":" + path).c_str(), 1);
    program("squeue", "exit 0");  // no task is left
    program("scancel", "touch " + folder() + "/cancelled");
  }
  std::string folder() const { return scratch_.path().string(); }
  void program(const std::string& name, const std::string& body) const {
    const fs::path file = scratch_.path() / name;
    std::ofstream(file) << "#!/bin/bash\n" << body << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  // Each submission runs all tasks at once.
  void make_sbatch(const std::string& number) const {
    program("sbatch",
            "for word; do case $word in --array=*) tasks=${word#--array=};; esac; done\n"
            "for i in $(eval echo $(sed 's/\\([0-9]*\\)-\\([0-9]*\\)/{\\1..\\2}/g; s/,/ /g' <<<$tasks)); do\n"
            "SLURM_ARRAY_TASK_ID=$i bash ${@: -1}; done; echo " +
                number);
  }
  bool ran(int slice) const { return fs::exists(scratch_.path() / ("it's slice " + std::to_string(slice))); }

  ScratchFolder scratch_{"array_job"};
  ArrayJob job_{.name = "test",
                .command = {"touch", folder() + "/it's slice " + kSliceIndex, folder() + "/of " + kSliceCount,
                            folder() + "/{slice} $(exit)"},
                .slices = 4,
                .folder = folder() + "/slurm"};
  SlicedWork work_{.open_slices =
                       [this] {
                         std::vector<int> open;
                         for (int i = 1; i <= 4; ++i)
                           if (!ran(i)) open.push_back(i);
                         return open;
                       },
                   .done = [] { return 0; },
                   .interrupted = [] { return false; }};
};

TEST(LimitedProgram, HandsOnTheLimitsThatItWasGiven) {
  CLI::App app;
  add_limits(app);
  EXPECT_EQ(limited_program(), std::vector{program_path()}) << "those of every program are not handed on";
  app.parse("--max-requests 1e9 --memory-limit 2.5", false);
  EXPECT_EQ(limited_program(),
            (std::vector<std::string>{program_path(), "--memory-limit", "2.5", "--max-requests", "1000000000"}));
}

TEST_F(FakeSlurm, RunsTheOpenSlicesAndNoOthers) {
  make_sbatch("17");
  std::ofstream(scratch_.path() / "it's slice 2") << "done before";
  EXPECT_TRUE(run_array_job(job_, work_));
  for (int i = 1; i <= 4; ++i) EXPECT_TRUE(ran(i)) << i;
  EXPECT_EQ(read_file(scratch_.path() / "it's slice 2"), "done before");
  EXPECT_TRUE(fs::exists(scratch_.path() / "of 4"));
  EXPECT_TRUE(fs::exists(scratch_.path() / "{slice} $(exit)")) << "what a user wrote is taken for a placeholder";
}

std::string message_of_run(const ArrayJob& job, const SlicedWork& work) {
  try {
    run_array_job(job, work);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST_F(FakeSlurm, SaysWhatSbatchRefuses) {
  program("sbatch", "echo 'sbatch: error: invalid partition specified: long' >&2; exit 1");
  EXPECT_EQ(message_of_run(job_, work_), "sbatch: sbatch: error: invalid partition specified: long");
}

TEST_F(FakeSlurm, GivesUpAfterThreeArraysWithoutAResult) {
  program("sbatch", "echo 5");
  EXPECT_EQ(message_of_run(job_, work_), folder() +
                                             "/slurm: three job arrays in a row brought no result; the output of "
                                             "the last one stands in task_5_*.log");
}

TEST_F(FakeSlurm, CancelsTheArrayWhenInterrupted) {
  program("sbatch", "echo 5");
  program("squeue", "echo RUNNING");
  work_.interrupted = [] { return true; };
  EXPECT_FALSE(run_array_job(job_, work_));
  EXPECT_TRUE(fs::exists(scratch_.path() / "cancelled"));
}

}  // namespace
}  // namespace tilewright
