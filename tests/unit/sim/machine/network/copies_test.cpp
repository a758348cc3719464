// Packets for several terminals, copied by the routers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sim/base/distinct.h"
#include "sim/base/error.h"
#include "sim/base/random.h"
#include "sim/machine/network/network_core.h"
#include "tests/unit/sim/machine/network/network_fixture.h"

namespace tilewright {
namespace {

constexpr int kFlits = 9;

NetworkSpec copying(NetworkSpec spec, int buffer_flits = kFlits) {
  spec.multicast = 64;
  spec.router.buffer_flits = buffer_flits;
  return spec;
}

struct Sent {
  Packet packet;
  std::vector<int> destinations;
};

// Half of them for one terminal, the others for up to all.
std::vector<Sent> packets_between(int terminals, int count, std::uint64_t seed) {
  SplitMix64 random(seed);
  const auto draw = [&](int limit) { return static_cast<int>(random.below(limit)); };
  std::vector<Sent> all;
  for (int i = 0; i < count; ++i) {
    Sent sent{{draw(terminals), 0, 1 + draw(kFlits), draw(2) == 1}, {}};
    sent.packet.cookie = static_cast<std::uint64_t>(i);
    const int copies = draw(2) == 0 ? 1 : 1 + draw(terminals);
    for (int k = 0; k < copies; ++k) sent.destinations.push_back(draw(terminals));
    keep_distinct(sent.destinations);
    sent.packet.destination = sent.destinations.front();
    all.push_back(sent);
  }
  return all;
}

// Everything at once: every buffer is wanted by several.
void expect_all_once(const NetworkSpec& spec, VcSharing sharing, int count) {
  const std::vector<Sent> packets = packets_between(spec.terminals(), count, 4711);
  const auto network = make_transport(spec, sharing);
  for (const Sent& sent : packets)
    if (sent.destinations.size() == 1) {
      network->inject(sent.packet, 0);
    } else {
      network->inject_to_all(sent.packet, sent.destinations, 0);
    }
  network->advance(10'000'000);
  std::map<std::uint64_t, std::vector<int>> arrived;
  for (const Delivery& delivery : network->delivered()) {
    arrived[delivery.packet.cookie].push_back(delivery.packet.destination);
    EXPECT_EQ(delivery.packet.flits, packets[delivery.packet.cookie].packet.flits);
  }
  EXPECT_EQ(network->waiting_for(), "");
  EXPECT_EQ(network->next_event(), kNeverCycle);
  for (const Sent& sent : packets) {
    std::ranges::sort(arrived[sent.packet.cookie]);
    EXPECT_EQ(arrived[sent.packet.cookie], sent.destinations) << "packet " << sent.packet.cookie;
  }
}

TEST(NetworkCopies, ReachEveryDestinationOnceWhereBuffersHoldNoMoreThanAPacket) {
  expect_all_once(copying(mesh(4, 4)), VcSharing::kSplit, 3000);
  expect_all_once(copying(mesh(3, 5)), VcSharing::kAny, 3000);
  expect_all_once(copying(crossbar(12, 4)), VcSharing::kSplit, 3000);
  expect_all_once(copying(smp(6, 6)), VcSharing::kSplit, 3000);
  expect_all_once(simple(9, 3), VcSharing::kSplit, 3000);
  for (const int routers : {2, 3, 4, 5, 8}) expect_all_once(copying(ring(routers, 1)), VcSharing::kSplit, 2000);
  for (const auto& [columns, rows] : {std::pair{1, 6}, {2, 2}, {3, 4}, {4, 4}, {5, 5}, {8, 2}})
    expect_all_once(copying(torus(columns, rows)), VcSharing::kSplit, 2000);
}

TEST(NetworkCopies, ReachEveryDestinationOnceInGroupsOfFlitsAndOneChannelEach) {
  NetworkSpec spec = copying(mesh(4, 4), 16);
  spec.router.group_flits = 16;
  expect_all_once(spec, VcSharing::kSplit, 3000);
  spec.router.virtual_channels = 2;
  expect_all_once(spec, VcSharing::kSplit, 3000);
  spec.router.virtual_channels = 1;
  expect_all_once(spec, VcSharing::kAny, 3000);
}

TEST(NetworkCopies, ArriveWhenALonePacketWould) {
  const NetworkSpec spec = copying(mesh(4, 4));
  std::vector<int> all;
  for (int terminal = 0; terminal < spec.terminals(); ++terminal) all.push_back(terminal);
  for (int source = 0; source < spec.terminals(); ++source) {
    NetworkCore copies(spec, VcSharing::kSplit);
    EXPECT_EQ(copies.inject_to_all({source, 0, kFlits}, all, 100), 31) << "a tree of 15 links, and 16 terminals";
    copies.advance(10'000);
    ASSERT_EQ(copies.delivered().size(), all.size());
    for (const Delivery& copy : copies.delivered()) {
      NetworkCore lone(spec, VcSharing::kSplit);
      lone.inject({source, copy.packet.destination, kFlits}, 100);
      lone.advance(10'000);
      EXPECT_EQ(copy.arrived, lone.delivered().at(0).arrived) << source << " -> " << copy.packet.destination;
    }
  }
}

// Fifteen times the bytes in little more than the time of one receiver.
TEST(NetworkCopies, AStreamTakesItsSourceOnce) {
  const NetworkSpec spec = copying(mesh(4, 4), 2 * kFlits);
  constexpr int kPackets = 200;
  const std::vector<int> others{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  NetworkCore lone(spec, VcSharing::kSplit), copies(spec, VcSharing::kSplit);
  for (int i = 0; i < kPackets; ++i) {
    lone.inject({0, 15, kFlits}, 0);
    copies.inject_to_all({0, 1, kFlits}, others, 0);
  }
  lone.advance(100'000);
  copies.advance(100'000);
  ASSERT_EQ(copies.delivered().size(), kPackets * others.size());
  const auto last = [](NetworkCore& network) { return static_cast<double>(network.delivered().back().arrived); };
  EXPECT_GE(last(lone), kPackets * kFlits);
  EXPECT_LT(last(copies), 1.1 * last(lone));
  std::int64_t flits = 0;
  for (const std::int64_t of_link : copies.link_flits()) flits += of_link;
  EXPECT_EQ(flits, 15 * kPackets * kFlits) << "every link of the tree once";
}

TEST(NetworkCopies, LeaveOtherPacketsAsTheyAre) {
  for (const NetworkSpec& spec : {mesh(4, 4), torus(4, 4), ring(6, 2), crossbar(6, 6), smp(6, 6)}) {
    NetworkSpec plain = copying(spec);
    plain.multicast = 0;
    const auto deliveries = [](const NetworkSpec& of) {
      NetworkCore network(of, VcSharing::kSplit);
      for (const Sent& sent : packets_between(of.terminals(), 2000, 99)) network.inject(sent.packet, 0);
      network.advance(1'000'000);
      std::vector<std::tuple<std::uint64_t, int, Cycles>> all;
      for (const Delivery& delivery : network.delivered())
        all.emplace_back(delivery.packet.cookie, delivery.packet.destination, delivery.arrived);
      return all;
    };
    EXPECT_EQ(deliveries(copying(spec)), deliveries(plain));
  }
}

TEST(NetworkCopies, APacketThatWaitsTakesFurtherDestinations) {
  const NetworkSpec spec = copying(mesh(4, 1));
  NetworkCore network(spec, VcSharing::kSplit);
  Packet packet{0, 2, kFlits, true};
  for (packet.cookie = 1; packet.cookie <= 2; ++packet.cookie) network.inject(packet, 0);
  network.advance(4);
  const auto waiting = [](std::uint64_t cookie) { return Packet{0, 0, kFlits, true, 0, cookie}; };
  EXPECT_EQ(network.add_destination(1, waiting(1), 5), std::nullopt) << "the first flits have left";
  EXPECT_EQ(network.add_destination(1, waiting(3), 5), std::nullopt) << "there is no such packet";
  EXPECT_EQ(network.add_destination(1, waiting(2), 5), 1) << "the terminal there; its router is on the way";
  EXPECT_EQ(network.add_destination(3, waiting(2), 5), 2) << "a link and a terminal more";
  EXPECT_EQ(network.add_destination(3, waiting(2), 5), 0) << "goes there";
  network.advance(1000);
  std::vector<std::pair<std::uint64_t, int>> arrived;
  for (const Delivery& delivery : network.delivered())
    arrived.emplace_back(delivery.packet.cookie, delivery.packet.destination);
  EXPECT_EQ(arrived, (std::vector<std::pair<std::uint64_t, int>>{{1, 2}, {2, 1}, {2, 2}, {2, 3}}));
}

// Round a ring the other way leads to terminal 3.
TEST(NetworkCopies, AnotherWayTakesAnotherPacket) {
  NetworkCore network(copying(ring(4, 1)), VcSharing::kSplit);
  Packet packet{0, 1, kFlits, true};
  for (packet.cookie = 1; packet.cookie <= 2; ++packet.cookie) network.inject(packet, 0);
  network.advance(4);
  EXPECT_EQ(network.add_destination(3, {0, 0, kFlits, true, 0, 2}, 5), 2);
  network.advance(1000);
  ASSERT_EQ(network.delivered().size(), 3u);
  EXPECT_EQ(network.delivered()[2].packet.destination, 3);
}

TEST(NetworkCopies, NeedBuffersThatHoldThePacket) {
  NetworkCore fits(copying(mesh(2, 2), kFlits), VcSharing::kSplit);
  fits.inject_to_all({0, 1, kFlits}, std::vector{1, 2}, 0);
  NetworkCore small(copying(mesh(2, 2), kFlits - 1), VcSharing::kSplit);
  EXPECT_THROW(small.inject_to_all({0, 1, kFlits}, std::vector{1, 2}, 0), InternalError);
  NetworkCore none(mesh(2, 2), VcSharing::kSplit);
  EXPECT_THROW(none.inject_to_all({0, 1, 1}, std::vector{1, 2}, 0), InternalError);
}

TEST(NetworkCopies, NeedRoutersThatAreNotTooLarge) {
  NetworkCore(copying(crossbar(60, 4)), VcSharing::kSplit);
  EXPECT_THROW(NetworkCore(copying(crossbar(61, 4)), VcSharing::kSplit), UserError);
}

}  // namespace
}  // namespace tilewright
