// Memories that do not take everything at once, and ports with queues of a limited length.
#include <gtest/gtest.h>

#include <map>

#include "sim/machine/network/held_packets.h"
#include "sim/machine/network/network_core.h"
#include "tests/unit/sim/machine/network/network_fixture.h"

namespace tilewright {
namespace {

NetworkSpec with_places(NetworkSpec spec, int places, int buffer_flits, TakeOrder order = TakeOrder::kArrival) {
  spec.memory_port = {places, buffer_flits, order};
  return spec;
}

std::vector<Delivery> delivered_by(NetworkCore& network, Cycles cycle) {
  network.advance(cycle);
  std::vector<Delivery> delivered;
  delivered.swap(network.delivered());
  return delivered;
}

Packet request(const NetworkSpec& spec, int cluster, std::uint64_t cookie, int flits = 1) {
  return {cluster, spec.channel_terminal(0), flits, false, 0, cookie};
}

Packet answer_to(const Packet& request) { return {request.destination, request.source, 1, true, 0, request.cookie}; }

TEST(HeldPackets, TheRouterGetsCreditsAsFarAsThereIsRoom) {
  HeldPackets held({.places = 1, .buffer_flits = 5}, 2);
  EXPECT_EQ(held.set_out(0, 3), 3);
  EXPECT_EQ(held.set_out(0, 3), 2);
  EXPECT_EQ(held.set_out(0, 2), 0);
  EXPECT_EQ(held.set_out(1, 2), 2);  // a buffer of its own
  held.arrived(0, 7, 3);
  const auto first = held.take();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->packet, 7u);
  EXPECT_EQ(first->vc, 0);
  EXPECT_EQ(first->credits, 3);      // one of the second packet, two of the third
  EXPECT_EQ(held.set_out(0, 1), 0);  // full again: three of the second, two of the third
  held.arrived(0, 8, 3);
  EXPECT_FALSE(held.take());  // no place
  held.answered();
  EXPECT_EQ(held.take()->credits, 1);  // that of the fourth
}

TEST(HeldPackets, TheFirstToComeOrTheLowestChannel) {
  for (const TakeOrder order : {TakeOrder::kArrival, TakeOrder::kLowestChannel}) {
    HeldPackets held({.places = 9, .buffer_flits = 8, .order = order}, 3);
    held.arrived(2, 20, 1);
    held.arrived(1, 10, 1);
    held.arrived(1, 11, 1);
    std::vector<std::uint32_t> taken;
    while (const auto next = held.take()) taken.push_back(next->packet);
    EXPECT_EQ(taken, order == TakeOrder::kArrival ? (std::vector<std::uint32_t>{20, 10, 11})
                                                  : (std::vector<std::uint32_t>{10, 11, 20}));
  }
}

// Legal at N, held up at N + 1.
TEST(MemoryPort, TakesAsManyRequestsAsItHasPlacesUntilItAnswersOne) {
  const NetworkSpec spec = with_places(crossbar(4, 1), 3, 8);
  NetworkCore network(spec, VcSharing::kSplit);
  for (int i = 0; i < 5; ++i) network.inject(request(spec, i % 4, i), 0);
  const auto taken = delivered_by(network, 1000);
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(network.next_event(), kNeverCycle);
  EXPECT_EQ(network.waiting_for().substr(0, 19), "2 packets under way");
  network.inject(answer_to(taken[0].packet), 2000);
  const auto more = delivered_by(network, 3000);
  ASSERT_EQ(more.size(), 2u);  // the fourth request, in the cycle of the answer, and the answer
  EXPECT_FALSE(more[0].packet.reply);
  EXPECT_EQ(more[0].arrived, 2000);
  EXPECT_TRUE(more[1].packet.reply);
}

TEST(MemoryPort, WhatHasNoPlaceWaitsInTheBufferThenInTheRouterThenAtItsSource) {
  NetworkSpec spec = with_places(crossbar(1, 1), 1, 4);
  spec.router.virtual_channels = 2;  // one for requests
  spec.router.buffer_flits = 2;
  NetworkCore network(spec, VcSharing::kSplit);
  for (int i = 0; i < 12; ++i) network.inject(request(spec, 0, i), 0);
  EXPECT_EQ(delivered_by(network, 1000).size(), 1u);
  // One is taken; four wait in the buffer and two on the router's credits, two in its own buffer, three at the source.
  EXPECT_EQ(network.held_groups(0), 2);
}

// Every request is answered some cycles after it has been taken.
std::vector<Delivery> served(const NetworkSpec& spec, const std::vector<Packet>& requests, Cycles service) {
  NetworkCore network(spec, VcSharing::kSplit);
  std::multimap<Cycles, Packet> answers;
  std::vector<Delivery> arrived;
  for (const Packet& packet : requests) network.inject(packet, 0);
  for (Cycles now = 0; now < 100'000; ++now) {
    for (; !answers.empty() && answers.begin()->first <= now; answers.erase(answers.begin()))
      network.inject(answers.begin()->second, now);
    for (const Delivery& delivery : delivered_by(network, now)) {
      if (!delivery.packet.reply) answers.emplace(now + service, answer_to(delivery.packet));
      arrived.push_back(delivery);
    }
  }
  EXPECT_EQ(network.waiting_for(), "");
  return arrived;
}

std::vector<Packet> requests_of_all(const NetworkSpec& spec, int count, int longest) {
  std::vector<Packet> requests;
  for (int i = 0; i < count; ++i) {
    Packet packet = request(spec, i % spec.channel_terminal(0), i, 1 + i * 7 % longest);
    packet.destination = spec.channel_terminal(i * 5 % spec.channels);
    requests.push_back(packet);
  }
  return requests;
}

TEST(MemoryPort, EveryRequestIsAnsweredOnceWhateverTheRoom) {
  for (const TakeOrder order : {TakeOrder::kArrival, TakeOrder::kLowestChannel})
    for (const int places : {1, 3, 1000})
      for (const int buffer : {1, 9, 64}) {
        const NetworkSpec spec = with_places(crossbar(5, 3), places, buffer, order);
        EXPECT_EQ(served(spec, requests_of_all(spec, 300, 9), 7).size(), 600u) << places << " " << buffer;
      }
}

// When each of them arrived.
std::map<std::pair<std::uint64_t, bool>, Cycles> moments(const std::vector<Delivery>& deliveries) {
  std::map<std::pair<std::uint64_t, bool>, Cycles> moments;
  for (const Delivery& delivery : deliveries)
    moments.emplace(std::pair(delivery.packet.cookie, delivery.packet.reply), delivery.arrived);
  return moments;
}

// With room for all of them nothing is different.
TEST(MemoryPort, MorePlacesThanRequestsChangeNothing) {
  const NetworkSpec plain = crossbar(6, 4), roomy = with_places(plain, 500, 5000);
  const auto expected = served(plain, requests_of_all(plain, 400, 9), 20),
             actual = served(roomy, requests_of_all(roomy, 400, 9), 20);
  EXPECT_EQ(moments(actual), moments(expected));
}

NetworkSpec with_ports(int ports, int port_queue) {
  NetworkSpec spec = crossbar(2 * ports, 1);
  spec.clusters = 2;
  spec.ports_per_cluster = ports;
  spec.request_port = RequestPort::kTurn;
  spec.port_queue = port_queue;
  return spec;
}

TEST(PortQueue, RequestsGoToThePortsInTurnPastThoseThatAreFull) {
  const NetworkSpec spec = with_ports(3, 2);
  NetworkCore network(spec, VcSharing::kSplit);
  // Port 0 sends a long packet, the others short ones: they take what port 0 has no room for.
  network.inject(request(spec, 0, 0, 60), 0);
  for (int i = 1; i < 20; ++i) network.inject(request(spec, 0, i), 0);
  std::map<int, int> sent;
  for (const Delivery& delivery : delivered_by(network, 10'000)) ++sent[delivery.packet.source];
  EXPECT_EQ(sent[0] + sent[1] + sent[2], 20);
  EXPECT_EQ(sent[0], 3);  // the long one and two that waited behind it
  EXPECT_LE(std::abs(sent[1] - sent[2]), 1);
}

TEST(PortQueue, EveryRequestArrivesOnceFromAPortOfItsCluster) {
  for (const int queue : {1, 4, 1000}) {
    const NetworkSpec spec = with_ports(4, queue);
    NetworkCore network(spec, VcSharing::kSplit);
    std::vector<Delivery> delivered;
    for (int i = 0; i < 500; ++i) {
      for (const Delivery& delivery : delivered_by(network, i / 50 - 1)) delivered.push_back(delivery);
      network.inject(request(spec, i % 8, i, 1 + i % 5), i / 50);
    }
    for (const Delivery& delivery : delivered_by(network, 100'000)) delivered.push_back(delivery);
    EXPECT_EQ(delivered.size(), 500u);
    for (const Delivery& delivery : delivered)
      EXPECT_EQ(delivery.packet.source / 4, static_cast<int>(delivery.packet.cookie % 8) / 4);
    EXPECT_EQ(network.waiting_for(), "");
  }
}

}  // namespace
}  // namespace tilewright
