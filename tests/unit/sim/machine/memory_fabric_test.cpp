#include "sim/machine/memory/memory_fabric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "sim/base/error.h"
#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

struct Network : NetworkPort {
  std::vector<std::pair<Packet, Picoseconds>> sent;
  std::vector<std::pair<Packet, std::vector<int>>> copied;  // to whom in addition
  bool left = false;                                        // no packet waits at its source
  std::map<int, PacketReceiver*> receivers;
  void attach(int terminal, PacketReceiver* receiver) override { receivers[terminal] = receiver; }
  void send(const Packet& packet, Picoseconds now) override { sent.emplace_back(packet, now); }
  void send_to_all(const Packet& packet, std::span<const int> terminals, Picoseconds now) override {
    copied.emplace_back(packet, std::vector<int>(terminals.begin(), terminals.end()));
    sent.emplace_back(packet, now);
  }
  std::optional<int> also_to(int terminal, const Packet& waiting, Picoseconds) override {
    if (left) return std::nullopt;
    copied.emplace_back(waiting, std::vector{terminal});
    return 1;
  }
  int flits_for(Bytes payload) const override { return 1 + static_cast<int>(ceil_div<Bytes>(payload, 32)); }
};

struct Channel : DramPort {
  std::vector<MemoryRequest> asked;
  MemoryClient* client = nullptr;
  void set_client(MemoryClient* one) override { client = one; }
  void memory_request(const MemoryRequest& request, Picoseconds) override { asked.push_back(request); }
  void reset() override {}
  Picoseconds settle() override { return 0; }
  std::string waiting_for() const override { return ""; }
};

// Two clusters with two ports each before two channels of one region each.
class MemoryFabricTest : public testing::Test {
 protected:
  static Hardware hardware(int multicast = 0) {
    Hardware hardware = small_hardware();
    hardware.network.multicast = multicast;
    hardware.clusters = 2;
    hardware.cores_per_cluster = 2;
    hardware.network.clusters = hardware.network.channels = hardware.network.ports_per_cluster = 2;
    hardware.dram.channels = hardware.dram.regions = 2;
    hardware.dram.channel_capacity = 1 << 20;
    hardware.dram.timing.burst = 4;
    return hardware;
  }
  static MemoryRequest request(Address address, int bytes, int core, bool write = false) {
    MemoryRequest request;
    request.address = address;
    request.bytes = bytes;
    request.write = write;
    request.core = static_cast<std::uint16_t>(core);
    request.tag = 77;
    return request;
  }
  // Takes the last packet to the other end.
  void deliver(Picoseconds now) {
    const Packet packet = network_.sent.back().first;
    network_.receivers.at(packet.destination)->packet_arrived(packet, now);
  }

  const Hardware hardware_ = hardware();
  Network network_;
  std::array<Channel, 2> channels_;
  EventMeter meter_;
  MemoryFabric fabric_{hardware_, network_, {&channels_[0], &channels_[1]}, meter_};
  Client client_;
};

TEST_F(MemoryFabricTest, ARequestCrossesTheNetworkThereAndItsDataComeBack) {
  const Address remote = 1 << 20;
  fabric_.send(request(remote, 256, 1), client_, 100);
  const Packet there = network_.sent.at(0).first;
  EXPECT_EQ(there.source, 1) << "cluster 0's port for odd channels";
  EXPECT_EQ(there.destination, 5);
  EXPECT_EQ(there.flits, 1);
  deliver(200);
  ASSERT_EQ(channels_[1].asked.size(), 1u);
  channels_[1].client->memory_done(channels_[1].asked[0], 300);
  const Packet back = network_.sent.at(1).first;
  EXPECT_EQ(back.destination, 1);
  EXPECT_EQ(back.flits, 9);
  EXPECT_TRUE(back.reply);
  EXPECT_THAT(fabric_.waiting_for(), testing::HasSubstr("1 requests"));
  deliver(400);
  ASSERT_EQ(client_.answers.size(), 1u);
  EXPECT_EQ(client_.answers[0].request.tag, 77u) << "the asker's own mark";
  EXPECT_EQ(client_.answers[0].time, 400);
  EXPECT_EQ(fabric_.waiting_for(), "");
}

TEST_F(MemoryFabricTest, AWriteCarriesItsDataThereAndOneFlitBack) {
  fabric_.send(request(0, 256, 0, true), client_, 0);
  EXPECT_EQ(network_.sent.back().first.flits, 9);
  deliver(10);
  channels_[0].client->memory_done(channels_[0].asked.at(0), 20);
  EXPECT_EQ(network_.sent.back().first.flits, 1);
}

TEST_F(MemoryFabricTest, CountsWhatIsNearAndWhatIsFarByOperator) {
  for (const auto& [address, core] : {std::pair{0, 0}, {1 << 20, 0}, {1 << 20, 3}}) {
    fabric_.send(request(address, 64, core), client_, 0);
    deliver(10);
    Channel& channel = channels_[address == 0 ? 0 : 1];
    channel.client->memory_done(channel.asked.back(), 20);
    deliver(1000);
  }
  EXPECT_EQ(fabric_.traffic_of(0), (MemoryTraffic{128, 64}));
  EXPECT_EQ(fabric_.traffic_of(5), MemoryTraffic{});
  Statistics statistics;
  fabric_.add_statistics("memory", {0, 1'000'000}, statistics);
  EXPECT_EQ(statistics.at("memory.reads"), 3);
  EXPECT_EQ(statistics.at("memory.average_read_latency"), 1);
  EXPECT_THROW(fabric_.add_statistics("memory", {0, 1}, statistics), InternalError) << "192 bytes in a picosecond";
}

// With one read at a time that others may join.
class MulticastTest : public MemoryFabricTest {
 protected:
  // Its request has reached the other end.
  void ask(const MemoryRequest& read) {
    fabric_.send(read, client_, 0);
    deliver(10);
  }
  void serve(std::size_t number, Picoseconds now = 20) {
    MemoryRequest served = channels_[0].asked.at(number);
    served.delay.bus = 5;
    channels_[0].client->memory_done(served, now);
  }
  void arrive(const Packet& answer, int terminal, Picoseconds now) {
    Packet copy = answer;
    copy.destination = terminal;
    network_.receivers.at(terminal)->packet_arrived(copy, now);
  }
  double statistic(const char* name) {
    Statistics statistics;
    fabric_.add_statistics("memory", {0, 1'000'000}, statistics);
    return statistics.at(name);
  }

  const Hardware hardware_ = hardware(1);
  EventMeter meter_;
  MemoryFabric fabric_{hardware_, network_, {&channels_[0], &channels_[1]}, meter_};
};

TEST_F(MulticastTest, OneAnswerGoesToAllThatAskedMeanwhile) {
  for (const int core : {0, 1, 2}) ask(request(0, 256, core));
  EXPECT_EQ(channels_[0].asked.size(), 1u);
  serve(0);
  ASSERT_EQ(network_.copied.size(), 1u);
  const auto& [answer, terminals] = network_.copied[0];
  EXPECT_EQ(answer.flits, 9);
  EXPECT_EQ(terminals, (std::vector{0, 2})) << "one for both cores of a cluster";
  arrive(answer, 2, 50);
  ASSERT_EQ(client_.answers.size(), 1u);
  EXPECT_EQ(client_.answers[0].request.core, 2);
  EXPECT_EQ(client_.answers[0].request.delay.bus, 5) << "it has waited for the same";
  arrive(answer, 0, 60);
  EXPECT_EQ(client_.answers.size(), 3u);
  EXPECT_EQ(fabric_.waiting_for(), "");
  EXPECT_EQ(statistic("memory.reads"), 1);
  EXPECT_EQ(statistic("memory.read_bytes"), 256);
  EXPECT_EQ(statistic("memory.multicast_reads"), 2);
  EXPECT_EQ(statistic("memory.multicast_bytes"), 512);
  EXPECT_EQ(fabric_.traffic_of(0), (MemoryTraffic{256, 0}));
}

TEST_F(MulticastTest, AnAnswerThatHasNotBegunToLeaveGoesToOneMore) {
  ask(request(0, 256, 0));
  serve(0);
  const Packet answer = network_.sent.back().first;
  ask(request(0, 256, 2));
  ASSERT_EQ(network_.copied.size(), 1u);
  EXPECT_EQ(network_.copied[0].first.cookie, answer.cookie);
  EXPECT_EQ(network_.copied[0].second, std::vector{2});
  arrive(answer, 0, 50);
  arrive(answer, 2, 60);
  EXPECT_EQ(client_.answers.size(), 2u);
  EXPECT_EQ(channels_[0].asked.size(), 1u);
}

// Two packets of one answer to one terminal, by two ways: the second finds nobody waiting, and no other read.
TEST_F(MulticastTest, IsOverWhenAllItsCopiesHaveCome) {
  ask(request(0, 256, 0));
  serve(0);
  const Packet answer = network_.sent.back().first;
  ask(request(0, 256, 1));
  arrive(answer, 0, 50);
  EXPECT_EQ(client_.answers.size(), 2u);
  ask(request(512, 256, 0));
  ask(request(512, 256, 1));
  EXPECT_EQ(channels_[0].asked.size(), 3u) << "there is no room to remember another yet";
  arrive(answer, 0, 60);
  EXPECT_EQ(client_.answers.size(), 2u);
  ask(request(1024, 256, 0));
  ask(request(1024, 256, 1));
  EXPECT_EQ(channels_[0].asked.size(), 4u);
}

TEST_F(MulticastTest, OneThatHasLeftDoesNot) {
  ask(request(0, 256, 0));
  serve(0);
  const Packet answer = network_.sent.back().first;
  network_.left = true;
  ask(request(0, 256, 2));
  EXPECT_EQ(channels_[0].asked.size(), 2u) << "read anew";
  arrive(answer, 0, 50);
  ask(request(0, 256, 3));
  EXPECT_EQ(channels_[0].asked.size(), 3u) << "there was no room to remember the second";
  ask(request(0, 256, 1));
  EXPECT_EQ(channels_[0].asked.size(), 3u) << "the third is joined";
}

TEST_F(MulticastTest, OtherBytesAndWritesGoByThemselves) {
  ask(request(0, 256, 0));
  ask(request(0, 128, 2));
  ask(request(0, 256, 2, true));
  ask(request(256, 256, 2));
  EXPECT_EQ(channels_[0].asked.size(), 4u);
}

}  // namespace
}  // namespace tilewright
