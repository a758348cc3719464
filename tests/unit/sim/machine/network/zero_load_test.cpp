// A lone packet: every pipeline parameter has its place. Formula and variants as BookSim 2 (commit 28f43299) shows
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "sim/machine/network/network_core.h"
#include "tests/unit/sim/machine/network/network_fixture.h"

namespace tilewright {
namespace {

Cycles lone_latency(NetworkCore& core, int source, int destination, int flits, Cycles start = 100) {
  core.reset();
  core.inject({source, destination, flits}, start);
  core.advance(start + 10000);
  EXPECT_EQ(core.delivered().size(), 1u);
  const Delivery delivery = core.delivered().front();
  core.delivered().clear();
  EXPECT_EQ(delivery.injected, start);
  return delivery.arrived - start;
}

int mesh_hops(int from, int to, int columns) {
  return std::abs(from % columns - to % columns) + std::abs(from / columns - to / columns);
}

int ring_hops(int from, int to, int routers) {
  const int up = (to - from + routers) % routers;
  return std::min(up, routers - up);
}

// T0 = base + hop * h + (L - 1) for every pair of a 4x4 mesh and packets of 1 to 64 flits.
void expect_on_mesh(const NetworkSpec& spec, Cycles base, Cycles hop) {
  NetworkCore core(spec, VcSharing::kAny);
  for (const int flits : {1, 2, 5, 8, 9, 17, 64})
    for (int from = 0; from < 16; ++from)
      for (int to = 0; to < 16; ++to)
        ASSERT_EQ(lone_latency(core, from, to, flits), base + hop * mesh_hops(from, to, 4) + flits - 1)
            << from << " -> " << to << ", " << flits << " flits";
}

TEST(ZeroLoad, MeshWithDefaults) { expect_on_mesh(mesh(4, 4), 7, 5); }

TEST(ZeroLoad, RoutingInNoTime) {
  NetworkSpec spec = mesh(4, 4);
  spec.router.routing_cycles = 0;
  expect_on_mesh(spec, 6, 4);
}

TEST(ZeroLoad, SpeculativeSwitchAllocation) {
  NetworkSpec spec = mesh(4, 4);
  spec.router.vc_allocation_cycles = 0;
  expect_on_mesh(spec, 6, 4);
  spec.router.routing_cycles = 0;
  expect_on_mesh(spec, 5, 3);
}

TEST(ZeroLoad, EveryLongerStageCostsItsCyclesPerRouter) {
  NetworkSpec spec = mesh(4, 4);
  spec.router.routing_cycles = 3;
  expect_on_mesh(spec, 9, 7);
  spec = mesh(4, 4);
  spec.router.vc_allocation_cycles = 2;
  expect_on_mesh(spec, 8, 6);
  spec = mesh(4, 4);
  spec.router.traversal_cycles = 2;
  expect_on_mesh(spec, 8, 6);
  spec = mesh(4, 4);
  spec.router.switch_allocation_cycles = 2;
  expect_on_mesh(spec, 8, 6);
}

TEST(ZeroLoad, TerminalChannelsAtBothEnds) {
  NetworkSpec spec = mesh(4, 4);
  spec.router.terminal_cycles = 2;
  expect_on_mesh(spec, 9, 5);
}

TEST(ZeroLoad, LongLink) {
  NetworkSpec spec = smp(1, 1);
  spec.router.link_cycles = 300;
  NetworkCore core(spec, VcSharing::kSplit);
  EXPECT_EQ(lone_latency(core, 0, 1, 1), 7 + 304);
}

TEST(ZeroLoad, Ring) {
  for (const int link : {1, 2})
    for (const int routers : {2, 3, 4, 8}) {
      NetworkCore core(ring(routers, link), VcSharing::kAny);
      for (int from = 0; from < routers; ++from)
        for (int to = 0; to < routers; ++to)
          for (const int flits : {1, 5})
            ASSERT_EQ(lone_latency(core, from, to, flits), 7 + (4 + link) * ring_hops(from, to, routers) + flits - 1);
    }
}

TEST(ZeroLoad, Torus) {
  for (const auto& [columns, rows] : {std::pair{1, 1}, {1, 5}, {2, 2}, {2, 3}, {4, 4}, {5, 3}, {8, 2}})
    for (const int link : {1, 3}) {
      NetworkSpec spec = torus(columns, rows);
      spec.router.link_cycles = link;
      spec.router.buffer_flits = 16;  // more than come before the first credit
      NetworkCore core(spec, VcSharing::kSplit);
      for (int from = 0; from < spec.routers; ++from)
        for (int to = 0; to < spec.routers; ++to)
          for (const int flits : {1, 5, 16}) {
            const int hops =
                ring_hops(from % columns, to % columns, columns) + ring_hops(from / columns, to / columns, rows);
            ASSERT_EQ(lone_latency(core, from, to, flits), 7 + (4 + link) * hops + flits - 1)
                << columns << "x" << rows << ": " << from << " -> " << to;
            ASSERT_EQ(core.routers_passed(from, to), hops + 1);
          }
    }
}

TEST(ZeroLoad, CrossbarIsOneRouter) {
  for (const int terminals : {2, 65, 300}) {
    NetworkCore core(crossbar(terminals - 1, 1), VcSharing::kSplit);
    for (int to = 0; to < terminals; to += 7)
      for (const int flits : {1, 2, 9})
        ASSERT_EQ(lone_latency(core, terminals - 1, to, flits), 7 + flits - 1) << to << " of " << terminals;
  }
}

// Credits come back after 5 cycles: 7 + 5h + 5 floor((L-1)/B) + (L-1) mod B for buffers of B < 5 flits.
TEST(ZeroLoad, SmallBuffers) {
  for (const int buffer : {1, 2, 3, 4})
    for (const int flits : {1, 5, 64}) {
      NetworkSpec spec = mesh(4, 4);
      spec.router.buffer_flits = buffer;
      NetworkCore core(spec, VcSharing::kAny);
      for (int to = 0; to < 16; ++to)
        EXPECT_EQ(lone_latency(core, 0, to, flits),
                  7 + 5 * mesh_hops(0, to, 4) + 5 * ((flits - 1) / buffer) + (flits - 1) % buffer);
    }
}

}  // namespace
}  // namespace tilewright
