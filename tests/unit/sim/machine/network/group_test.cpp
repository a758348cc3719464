// Whole packets against flit by flit: the chunk changes what a simulation costs, not what it says.
#include <gtest/gtest.h>

#include <limits>

#include "sim/machine/network/network_core.h"
#include "tests/unit/sim/machine/network/network_fixture.h"

namespace tilewright {
namespace {

NetworkSpec grouped(NetworkSpec spec, int flits) {
  spec.router.buffer_flits = 16;
  spec.router.group_flits = flits;
  return spec;
}

struct Outcome {
  double mean_latency = 0;
  Cycles end = 0;
};

// Eight terminals send 9-flit packets to eight others, each after `gap` + 0..15 cycles of its own.
Outcome reads(int group_flits, Cycles gap) {
  NetworkCore core(grouped(smp(8, 8), group_flits), VcSharing::kSplit);
  constexpr int kPackets = 4000;
  std::array<Cycles, 8> due{};
  std::uint64_t random = 1;
  Outcome outcome;
  int sent = 0, arrived = 0;
  for (Cycles cycle = 0; arrived < kPackets; ++cycle) {
    core.advance(cycle - 1);
    for (int source = 0; source < 8 && sent < kPackets; ++source) {
      if (due[source] > cycle) continue;
      random = random * 6364136223846793005u + 1442695040888963407u;
      core.inject({source, 8 + static_cast<int>(random >> 61), 9}, cycle);
      due[source] = cycle + gap + static_cast<Cycles>(random >> 40 & 15);
      ++sent;
    }
    core.advance(cycle);
    for (const Delivery& delivery : core.delivered()) {
      outcome.mean_latency += static_cast<double>(delivery.arrived - delivery.injected) / kPackets;
      outcome.end = delivery.arrived;
      ++arrived;
    }
    core.delivered().clear();
  }
  return outcome;
}

TEST(Group, ALonePacketTakesTheSameTime) {
  for (int flits = 1; flits <= 16; ++flits) {
    Cycles took[2];
    for (const int group : {1, 16}) {
      NetworkCore core(grouped(mesh(4, 4), group), VcSharing::kSplit);
      core.inject({0, 15, flits}, 10);
      core.advance(1000);
      ASSERT_EQ(core.delivered().size(), 1u);
      took[group == 16] = core.delivered().front().arrived;
    }
    EXPECT_EQ(took[0], took[1]) << flits << " flits";
  }
}

// All share one link, which is the worst case: flits of two packets that meet take turns, whole packets do not, so the
// first of them is through earlier.
TEST(Group, AGroupLargerThanEveryBufferIsAWholePacket) {
  NetworkCore core(grouped(mesh(4, 4), std::numeric_limits<int>::max()), VcSharing::kSplit);
  core.inject({0, 15, 9}, 10);
  core.advance(1000);
  EXPECT_EQ(core.delivered().size(), 1u);
}

TEST(Group, LatencyAtTwoFifthsOfALinkDiffersLittle) {
  const double flits = reads(1, 170).mean_latency;
  EXPECT_NEAR(reads(8, 170).mean_latency / flits, 1, 0.05);
  EXPECT_NEAR(reads(16, 170).mean_latency / flits, 1, 0.08);
}

// Flit by flit the allocators leave a twentieth of the link unused.
TEST(Group, ThroughputAtSaturationDiffersLittle) {
  const auto flits = static_cast<double>(reads(1, 0).end);
  EXPECT_NEAR(static_cast<double>(reads(16, 0).end) / flits, 1, 0.06);
}

}  // namespace
}  // namespace tilewright
