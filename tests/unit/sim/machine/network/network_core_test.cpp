#include "sim/machine/network/network_core.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/base/error.h"
#include "tests/unit/sim/machine/network/network_fixture.h"

namespace tilewright {
namespace {

// A repeatable mix of packets between all terminals.
std::vector<Packet> packets_between(int terminals, int count, int longest) {
  std::vector<Packet> packets;
  std::uint32_t state = 12345;
  const auto draw = [&state](int limit) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>((state >> 8) % static_cast<unsigned>(limit));
  };
  for (int i = 0; i < count; ++i) {
    Packet packet;
    packet.source = draw(terminals);
    packet.destination = draw(terminals);
    packet.flits = 1 + draw(longest);
    packet.reply = draw(2) == 1;
    packet.cookie = static_cast<std::uint64_t>(i);
    packets.push_back(packet);
  }
  return packets;
}

// Everything at once at cycle 0, in one burst that fills every buffer.
std::vector<Delivery> burst(NetworkTransport& network, const std::vector<Packet>& packets) {
  for (const Packet& packet : packets) network.inject(packet, 0);
  network.advance(10'000'000);
  std::vector<Delivery> delivered;
  delivered.swap(network.delivered());
  return delivered;
}

void expect_all_once(const NetworkSpec& spec, VcSharing sharing, int count, int longest) {
  const auto packets = packets_between(spec.terminals(), count, longest);
  const auto network = make_transport(spec, sharing);
  const auto delivered = burst(*network, packets);
  std::vector<int> seen(packets.size());
  for (const Delivery& delivery : delivered) {
    const Packet& sent = packets.at(delivery.packet.cookie);
    ++seen[delivery.packet.cookie];
    EXPECT_EQ(delivery.packet.destination, sent.destination);
    EXPECT_EQ(delivery.packet.flits, sent.flits);
  }
  EXPECT_EQ(seen, std::vector<int>(packets.size(), 1)) << network->waiting_for();
  EXPECT_EQ(network->waiting_for(), "");
  EXPECT_EQ(network->next_event(), kNeverCycle);
}

TEST(NetworkCore, OverfullMeshDrains) {
  expect_all_once(mesh(4, 4), VcSharing::kSplit, 4000, 20);
  expect_all_once(mesh(3, 5), VcSharing::kAny, 4000, 40);
}

TEST(NetworkCore, OverfullRingDrains) {
  for (const int routers : {2, 3, 4, 5, 8}) expect_all_once(ring(routers, 1), VcSharing::kSplit, 3000, 20);
}

TEST(NetworkCore, OverfullTorusDrains) {
  for (const auto& [columns, rows] : {std::pair{1, 6}, {2, 2}, {3, 4}, {4, 4}, {5, 5}, {8, 2}}) {
    NetworkSpec spec = torus(columns, rows);
    expect_all_once(spec, VcSharing::kSplit, 3000, 20);
    spec.router.buffer_flits = 1;
    expect_all_once(spec, VcSharing::kSplit, 1500, 20);
    spec.router.virtual_channels = 2;
    expect_all_once(spec, VcSharing::kAny, 1500, 20);
  }
}

// Everybody sends as far as there is along both dimensions: every buffer of every ring is wanted at once.
TEST(NetworkCore, TorusWithTornadoTrafficDrains) {
  NetworkSpec spec = torus(5, 5);
  spec.router.buffer_flits = 2;
  NetworkCore core(spec, VcSharing::kSplit);
  for (int packet = 0; packet < 40; ++packet)
    for (int source = 0; source < 25; ++source)
      core.inject({source, (source % 5 + 2) % 5 + (source / 5 + 2) % 5 * 5, 9}, 0);
  core.advance(1'000'000);
  EXPECT_EQ(core.delivered().size(), 1000u) << core.waiting_for();
}

TEST(NetworkCore, CrossbarsOfAnySizeDrain) {
  for (const int clusters : {1, 63, 64, 65, 500}) expect_all_once(crossbar(clusters, 16), VcSharing::kSplit, 5000, 17);
}

TEST(NetworkCore, TinyBuffersDrain) {
  NetworkSpec spec = ring(6, 2);
  spec.router.buffer_flits = 1;
  expect_all_once(spec, VcSharing::kSplit, 1500, 20);
  spec = mesh(4, 4);
  spec.router.buffer_flits = 2;
  spec.router.virtual_channels = 2;
  expect_all_once(spec, VcSharing::kSplit, 1500, 20);
}

TEST(NetworkCore, SpeculativeRouterDrains) {
  NetworkSpec spec = mesh(4, 4);
  spec.router.vc_allocation_cycles = 0;
  spec.router.routing_cycles = 0;
  expect_all_once(spec, VcSharing::kSplit, 2000, 9);
}

TEST(NetworkCore, ManyTerminalsOnOneRouter) { expect_all_once(smp(32, 16), VcSharing::kSplit, 4000, 17); }

TEST(NetworkCore, WholeSocketsJoinedByLinks) {
  NetworkSpec spec;
  spec.topology = Topology::kNuma;
  spec.routers = 4;
  spec.clusters = 4;
  spec.channels = 4;
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to)
      if (from != to) spec.links.push_back({from, to});
  spec.terminal_router = {0, 1, 2, 3, 0, 1, 2, 3};
  expect_all_once(spec, VcSharing::kSplit, 3000, 17);
  const NetworkRoutes routes(spec);
  EXPECT_EQ(routes.routers_passed(0, 4), 1);
  EXPECT_EQ(routes.routers_passed(0, 7), 2);
}

TEST(NetworkCore, SecondRunAfterResetIsTheFirst) {
  const NetworkSpec spec = mesh(4, 4);
  NetworkCore core(spec, VcSharing::kSplit);
  const auto packets = packets_between(16, 3000, 9);
  const auto first = burst(core, packets);
  core.reset();
  const auto second = burst(core, packets);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].packet.cookie, second[i].packet.cookie);
    EXPECT_EQ(first[i].arrived, second[i].arrived);
    if (i > 0) {
      EXPECT_LE(first[i - 1].arrived, first[i].arrived);
    }
  }
}

TEST(NetworkCore, SourcesOfOneCycleInAnyOrder) {
  const NetworkSpec spec = mesh(4, 4);
  std::map<std::uint64_t, Cycles> arrived[2];
  for (const int order : {0, 1}) {
    NetworkCore core(spec, VcSharing::kSplit);
    for (Cycles cycle = 0; cycle < 200; ++cycle) {
      if (order == 1) core.advance(cycle);  // the cycle is over before its packets are known
      for (int i = 0; i < 16; ++i) {
        const int source = order == 0 ? i : 15 - i;
        core.inject({source, (source * 5 + static_cast<int>(cycle)) % 16, 1, false, 0,
                     static_cast<std::uint64_t>(cycle * 16 + source)},
                    cycle);
      }
      core.advance(cycle);
    }
    core.advance(100000);
    for (const Delivery& delivery : core.delivered()) arrived[order][delivery.packet.cookie] = delivery.arrived;
  }
  EXPECT_EQ(arrived[0].size(), 3200u);
  EXPECT_EQ(arrived[0], arrived[1]);
}

// A saturated sink takes one flit per cycle and no more.
TEST(NetworkCore, SinkTakesOneFlitPerCycle) {
  NetworkCore core(smp(8, 1), VcSharing::kSplit);
  for (int i = 0; i < 800; ++i) core.inject({i % 8, 8, 17}, 0);
  core.advance(1'000'000);
  const Cycles last = core.delivered().back().arrived;
  EXPECT_GE(last, 800 * 17);
  EXPECT_LE(last, 800 * 17 * 105 / 100);
}

TEST(NetworkCore, RepliesPassWaitingRequests) {
  NetworkCore core(smp(2, 2), VcSharing::kSplit);
  for (int i = 0; i < 400; ++i) core.inject({0, 2, 17}, 0);
  core.advance(2000);
  core.inject({0, 3, 1, true, 0, 9}, 2001);
  core.advance(2100);
  bool passed = false;
  for (const Delivery& delivery : core.delivered()) passed = passed || delivery.packet.cookie == 9;
  EXPECT_TRUE(passed);
}

TEST(NetworkCore, TooFewVirtualChannels) {
  NetworkSpec spec = ring(4, 1);
  spec.router.virtual_channels = 2;
  EXPECT_THROW(NetworkCore(spec, VcSharing::kSplit), UserError);
  spec = mesh(2, 2);
  spec.router.virtual_channels = 1;
  EXPECT_THROW(NetworkCore(spec, VcSharing::kSplit), UserError);
}

TEST(NetworkCore, WhatARouterCannotHold) {
  EXPECT_NO_THROW(NetworkCore(smp(Router::kMaxPorts - 1, 1), VcSharing::kSplit));
  EXPECT_THROW(NetworkCore(smp(Router::kMaxPorts, 1), VcSharing::kSplit), UserError);
  NetworkSpec spec = mesh(2, 2);
  spec.router.buffer_flits = 129;
  EXPECT_THROW(NetworkCore(spec, VcSharing::kSplit), UserError);
  spec.router.buffer_flits = 8;
  spec.router.virtual_channels = 17;
  EXPECT_THROW(NetworkCore(spec, VcSharing::kSplit), UserError);
  spec.router.virtual_channels = 4;
  spec.router.link_cycles = 0;
  EXPECT_THROW(NetworkCore(spec, VcSharing::kSplit), UserError);
}

// Dally and Seitz, 1987: no circle in the graph whose nodes are the channels of the links and whose edges are the next
// channels of packets. Both ways are walked where both are equally short.
TEST(NetworkRoutes, ChannelsOfATorusWaitInNoCircle) {
  for (const auto& [columns, rows] : {std::pair{1, 4}, {2, 5}, {4, 4}, {5, 3}, {6, 6}}) {
    const NetworkSpec spec = torus(columns, rows);
    const NetworkRoutes routes(spec);
    const int channels = 2 * static_cast<int>(spec.links.size());
    std::vector<std::set<int>> next(channels);
    for (int from = 0; from < spec.routers; ++from)
      for (int to = 0; to < spec.routers; ++to)
        for (unsigned turn = 0; turn < 4; ++turn) {
          const RouteChoice choice = routes.choose(from, to, turn);
          int before = -1;
          for (int router = from; router != to;) {
            const int link = routes.ports()[router].out_links[routes.output(router, to, choice.way)];
            const int channel = 2 * link + (choice.crosses_dateline(routes.dimension_of(link)) ? 1 : 0);
            if (before >= 0) next[before].insert(channel);
            before = channel;
            router = spec.links[link].to;
          }
        }
    std::vector<int> waiters(channels, 0), free;
    for (const auto& targets : next)
      for (const int target : targets) ++waiters[target];
    for (int channel = 0; channel < channels; ++channel)
      if (waiters[channel] == 0) free.push_back(channel);
    for (std::size_t i = 0; i < free.size(); ++i)
      for (const int target : next[free[i]])
        if (--waiters[target] == 0) free.push_back(target);
    EXPECT_EQ(static_cast<int>(free.size()), channels) << columns << " x " << rows;
  }
}

// As many clusters as the hardware file may ask for, all joined to each other.
TEST(NetworkRoutes, AThousandRoutersJoinedToEachOther) {
  NetworkSpec spec;
  spec.topology = Topology::kNuma;
  spec.routers = spec.clusters = 1024;
  for (int from = 0; from < spec.routers; ++from) {
    spec.terminal_router.push_back(from);
    for (int to = 0; to < spec.routers; ++to)
      if (from != to) spec.links.push_back({from, to});
  }
  const NetworkRoutes routes(spec);
  EXPECT_EQ(routes.routers_passed(0, 1023), 2);
  EXPECT_EQ(routes.routers_passed(512, 512), 1);
  EXPECT_EQ(spec.links[routes.ports()[7].out_links[routes.output(7, 900, 0)]].to, 900);
}

TEST(NetworkCore, AThousandTerminalsOnOneCrossbar) {
  expect_all_once(crossbar(1024, 1024), VcSharing::kSplit, 20000, 9);
}

TEST(NetworkRoutes, CircleOfLinksIsRefused) {
  NetworkSpec spec = ring(5, 1);
  spec.topology = Topology::kNuma;
  EXPECT_THROW(NetworkRoutes{spec}, UserError);
}

TEST(NetworkRoutes, UnreachableRouterIsRefused) {
  NetworkSpec spec = smp(1, 1);
  spec.links.pop_back();
  EXPECT_THROW(NetworkRoutes{spec}, UserError);
}

TEST(NetworkRoutes, OppositeRoutersUseBothWaysOfARing) {
  const NetworkRoutes routes(ring(4, 1));
  EXPECT_TRUE(routes.has_two_ways(0, 2));
  EXPECT_FALSE(routes.has_two_ways(0, 1));
  EXPECT_NE(routes.choose(0, 2, false).way, routes.choose(0, 2, true).way);
  EXPECT_EQ(routes.choose(3, 0, false).dateline, 1);
  EXPECT_EQ(routes.choose(0, 3, false).dateline, 1);
  EXPECT_EQ(routes.choose(0, 1, false).dateline, 0);
}

TEST(NetworkSimple, OnePacketPerCycleAndDestination) {
  const auto network = make_transport(simple(4, 3), VcSharing::kSplit);
  for (int i = 0; i < 6; ++i) network->inject({i % 3, 3, 17, false, 0, static_cast<std::uint64_t>(i)}, 10);
  network->advance(100);
  ASSERT_EQ(network->delivered().size(), 6u);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(network->delivered()[i].arrived, 13 + i);
    EXPECT_EQ(network->delivered()[i].packet.source, i % 3);  // sources in turn
  }
}

TEST(NetworkSimple, EverythingArrives) { expect_all_once(simple(8, 1), VcSharing::kSplit, 2000, 5); }

}  // namespace
}  // namespace tilewright
