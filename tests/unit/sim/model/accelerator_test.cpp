// What the verifier would keep away: programs that never end, and faults inside a module.
#include "sim/model/accelerator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/model/kernel/chip_module.h"

namespace tilewright {
namespace {

class AcceleratorTest : public testing::Test {
 protected:
  AcceleratorTest() {
    program_.name = "hand-made";
    program_.segments = {{"code", SegmentKind::kInstructions, DataType::kInt8, 0, 4096}};
    program_.cores.resize(hardware_.cores());
  }
  void add(int core, Payload payload) {
    program_.cores[core].instructions.push_back({Unit::kLoad, 0, {}, {}, std::move(payload)});
  }
  std::string failure() {
    try {
      accelerator_.check_finished(program_);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const Hardware hardware_ = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/dual_cluster_cache.yaml");
  Accelerator accelerator_{"chip", hardware_};
  Program program_;
};

TEST_F(AcceleratorTest, AStuckMachineSaysWhy) {
  add(0, Barrier{4, 2});
  add(1, Wait{0, 3});
  accelerator_.launch(program_, nullptr, nullptr);
  sc_core::sc_start();
  const std::string message = failure();
  EXPECT_THAT(message, testing::HasSubstr("barrier 4 reached by 1 of 2"));
  EXPECT_THAT(message, testing::HasSubstr("core1 completed 0 of 1 instructions: load stream: wait for 3 of flag 0"));
}

TEST_F(AcceleratorTest, AFaultComesOutAndTheNextRunIsClean) {
  Transfer load;
  load.shape = {1, 1, 1, 1, 64};
  load.source = {Space::kDram, 1 << 20, {0, 0, 0, 0, 2}};
  load.target = {Space::kBufferA, 0, {0, 0, 0, 0, 2}};
  for (int i = 0; i < 4; ++i) add(0, load);
  ChipMemory memory(hardware_, program_.segments);
  accelerator_.launch(program_, &memory, nullptr);
  sc_core::sc_start();
  EXPECT_THROW(accelerator_.check_finished(program_), InternalError) << "the load is in no segment";

  Picoseconds times[2];
  for (Picoseconds& time : times) {
    const Picoseconds edge = hardware_.core_clock.align_up(kernel_now());
    if (edge > kernel_now()) sc_core::sc_start(sc_core::sc_time::from_value(edge - kernel_now()));
    accelerator_.launch(program_, nullptr, nullptr);
    sc_core::sc_start();
    EXPECT_NO_THROW(accelerator_.check_finished(program_));
    time = accelerator_.record().last_completion();
  }
  EXPECT_EQ(times[0], times[1]);
}

}  // namespace
}  // namespace tilewright
