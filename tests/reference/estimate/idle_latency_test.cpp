// The latency of memory without load, as predictions count it, beside one load of a burst on the simulated chip.
#include "planner/estimate/idle_latency.h"

#include <gtest/gtest.h>

#include "sim/hw/config/read_hardware.h"
#include "sim/isa/text.h"
#include "sim/session.h"

namespace tilewright::test {
namespace {

constexpr const char* kOneLoad = R"(program "one"
operator 1 "load"
segment "x" input bf16 @0x0 4096
segment "code" instructions int8 @0x10000 4096
core 0 fetch @0x10000
  load op=1 bf16 [1,32] dram@0x0(64,2) -> a@0(64,2)
)";

class IdleLatency : public testing::TestWithParam<const char*> {};

// It counts one router each way; there may be more, and the parts between hand on at their clocks.
TEST_P(IdleLatency, IsWhatALoadOfABurstTakes) {
  const Hardware hardware = load_hardware(fmt::format("{}/hw_configs/{}.yaml", TILEWRIGHT_SOURCE_DIR, GetParam()));
  Session session(hardware);
  const OperatorResult load = session.run(parse_program(kOneLoad, "one")).operators.at(1);
  const double measured =
      static_cast<double>(load.end - load.begin) / static_cast<double>(hardware.core_clock.period_ps);
  EXPECT_LE(idle_latency(hardware), measured);
  EXPECT_GE(idle_latency(hardware), 0.6 * measured);
}

INSTANTIATE_TEST_SUITE_P(Chips, IdleLatency,
                         testing::Values("quad_numa", "quad_smp", "tpu_v4_like", "edge_single", "gemmini_8x8",
                                         "mesh_16"),
                         [](const auto& chip) { return std::string(chip.param); });

}  // namespace
}  // namespace tilewright::test
