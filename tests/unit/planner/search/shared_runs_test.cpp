// Runs of a study that are equal: told by all of the chip that a run can depend on, and by the program.
#include "planner/search/study/shared_runs.h"

#include <gtest/gtest.h>

#include "planner/import/import.h"
#include "planner/passes/pass.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/unit/planner/search/study_support.h"

namespace tilewright::testing_support {
namespace {

class RunIdentity : public testing::Test {
 protected:
  const Hardware chip_ = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_smp_cache.yaml");
  const Program program_ =
      make_plan(import_workload(TILEWRIGHT_SOURCE_DIR "/tests/studies/gemm.csv"), chip_, {}).program;

  bool is_the_same(const Hardware& other) const {
    return run_identity(other, program_) == run_identity(chip_, program_);
  }
};

TEST_F(RunIdentity, KnowsNoNamesAreasAndBuffers) {
  Hardware other = chip_;
  other.name = "another";
  other.area.mm2_per_mac = 7;
  other.core.buffer_a *= 2, other.core.buffer_b *= 2, other.core.accumulator *= 2;
  EXPECT_TRUE(is_the_same(other));
}

TEST_F(RunIdentity, KnowsWhatTakesTimeOrEnergy) {
  for (const auto change : std::initializer_list<void (*)(Hardware&)>{
           [](Hardware& h) { h.core.matmul.rows *= 2; }, [](Hardware& h) { h.cluster_memory->capacity *= 2; },
           [](Hardware& h) { h.dram.timing.CL += 1; }, [](Hardware& h) { h.core.control.launch_cycles += 1; },
           [](Hardware& h) { h.energy.static_watts += 1; }, [](Hardware& h) { h.network.router.link_cycles += 1; }}) {
    Hardware other = chip_;
    change(other);
    EXPECT_FALSE(is_the_same(other));
  }
  Program longer = program_;
  longer.cores.front().instructions.pop_back();
  EXPECT_NE(run_identity(chip_, longer), run_identity(chip_, program_));
}

TEST(SharedRuns, GivesTheFirstResultOfARun) {
  SharedRuns runs;
  EXPECT_EQ(runs.find("a"), nullptr);
  runs.add("a", workload("first", 3000));
  runs.add("a", workload("second", 4000));
  ASSERT_NE(runs.find("a"), nullptr);
  EXPECT_EQ(runs.find("a")->name, "first");
  EXPECT_EQ(runs.find(""), nullptr);
}

}  // namespace
}  // namespace tilewright::testing_support
