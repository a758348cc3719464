#include "sim/model/network/network_module.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/base/error.h"
#include "sim/machine/network/network_core.h"
#include "sim/model/kernel/chip_module.h"
#include "tests/unit/sim/machine/network/network_fixture.h"

namespace tilewright {
namespace {

struct Faults : FaultSink {
  std::exception_ptr first;
  void fault(std::exception_ptr error) override {
    if (!first) first = error;
  }
};

// Notes what arrives and when; answers requests when told to.
struct Terminal : PacketReceiver {
  NetworkModule* network = nullptr;
  bool answers = false, throws = false;
  std::vector<std::pair<Packet, Picoseconds>> arrived;

  void packet_arrived(const Packet& packet, Picoseconds now) override {
    if (throws) throw std::runtime_error("receiver failed");
    arrived.emplace_back(packet, now);
    if (answers && !packet.reply)
      network->send({packet.destination, packet.source, 5, true, packet.op, packet.cookie}, now);
  }
};

class NetworkModuleTest : public testing::Test {
 protected:
  void make(const NetworkSpec& spec) {
    meter.reset(4);
    network = std::make_unique<NetworkModule>("network", spec, meter, faults);
    terminals.resize(spec.terminals());
    for (int terminal = 0; terminal < spec.terminals(); ++terminal) {
      terminals[terminal].network = network.get();
      network->attach(terminal, &terminals[terminal]);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  EventMeter meter;
  Faults faults;
  std::unique_ptr<NetworkModule> network;
  std::vector<Terminal> terminals;
};

TEST_F(NetworkModuleTest, RequestAndReplyInClockPeriods) {
  NetworkSpec spec = smp(2, 2);
  spec.clock.period_ps = 500;
  make(spec);
  terminals[2].answers = true;
  network->send({0, 2, 1, false, 3, 77}, kernel_now());
  sc_core::sc_start();
  ASSERT_EQ(terminals[2].arrived.size(), 1u);
  EXPECT_EQ(terminals[2].arrived[0].second, 500 * 12);
  ASSERT_EQ(terminals[0].arrived.size(), 1u);
  EXPECT_EQ(terminals[0].arrived[0].first.cookie, 77u);
  EXPECT_EQ(terminals[0].arrived[0].second, 500 * (12 + 16));
  EXPECT_EQ(meter.per_operator()[3][static_cast<int>(Event::kFlitHop)], 2 * 1 + 2 * 5);
  EXPECT_EQ(network->waiting_for(), "");
  Statistics statistics;
  network->add_statistics({}, statistics);
  EXPECT_EQ(statistics.at("network.packets"), 2);
  EXPECT_EQ(statistics.at("network.average_latency"), 14);
}

TEST_F(NetworkModuleTest, SendBetweenEdgesWaitsForTheNext) {
  make(smp(1, 1));
  sc_core::sc_start(300, sc_core::SC_PS);
  network->send({0, 1, 1}, kernel_now());
  sc_core::sc_start();
  ASSERT_EQ(terminals[1].arrived.size(), 1u);
  EXPECT_EQ(terminals[1].arrived[0].second, 1000 + 12000);
}

TEST_F(NetworkModuleTest, SecondRunAfterResetIsTheFirst) {
  make(mesh(2, 2));
  std::vector<std::vector<Picoseconds>> runs(2);
  for (auto& run : runs) {
    network->reset();
    meter.reset(1);
    for (Terminal& terminal : terminals) terminal.arrived.clear();
    const Picoseconds start = kernel_now();
    for (int i = 0; i < 40; ++i) network->send({i % 4, (i * 7 + 3) % 4, 1 + i % 20}, kernel_now());
    sc_core::sc_start();
    for (const Terminal& terminal : terminals)
      for (const auto& [packet, time] : terminal.arrived) run.push_back(time - start);
  }
  EXPECT_EQ(runs[0].size(), 40u);
  EXPECT_EQ(runs[0], runs[1]);
}

// The module sleeps while packets are between routers; its times must be those of a network advanced cycle by cycle.
TEST_F(NetworkModuleTest, ArrivalTimesAreThoseOfTheCore) {
  const NetworkSpec spec = mesh(3, 3);
  make(spec);
  NetworkCore core(spec, VcSharing::kSplit);
  std::uint32_t state = 1;
  const auto draw = [&state](int limit) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>((state >> 10) % static_cast<unsigned>(limit));
  };
  Cycles cycle = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Packet packet{draw(9), draw(9), 1 + draw(20), draw(2) == 1, 0, i};
    network->send(packet, kernel_now());
    core.inject(packet, cycle);
    const int wait = draw(3) == 0 ? draw(60) : 0;
    if (wait > 0) sc_core::sc_start(wait, sc_core::SC_NS);
    for (const Cycles end = cycle + wait; cycle < end; ++cycle) core.advance(cycle);
  }
  sc_core::sc_start();
  core.advance(cycle + 100'000);
  std::vector<Picoseconds> expected(3000, -1), got(3000, -1);
  for (const Delivery& delivery : core.delivered()) expected[delivery.packet.cookie] = delivery.arrived * 1000;
  for (const Terminal& terminal : terminals)
    for (const auto& [packet, time] : terminal.arrived) got[packet.cookie] = time;
  EXPECT_EQ(got, expected);
  EXPECT_FALSE(faults.first);
}

TEST_F(NetworkModuleTest, ResetForgetsPacketsUnderWay) {
  make(mesh(2, 2));
  network->send({0, 3, 9}, kernel_now());
  sc_core::sc_start(5, sc_core::SC_NS);
  EXPECT_NE(network->waiting_for(), "");
  network->reset();
  EXPECT_EQ(network->waiting_for(), "");
  sc_core::sc_start();
  EXPECT_TRUE(terminals[3].arrived.empty());
}

TEST_F(NetworkModuleTest, ReceiverThatThrowsReachesTheFaultSink) {
  make(mesh(2, 2));
  terminals[1].throws = true;
  network->send({0, 1, 1}, kernel_now());
  sc_core::sc_start();
  EXPECT_TRUE(faults.first);
}

TEST_F(NetworkModuleTest, PacketToNobodyIsOurBug) {
  make(mesh(2, 2));
  network->attach(1, nullptr);
  EXPECT_THROW(network->send({0, 1, 1}, kernel_now()), InternalError);
}

TEST_F(NetworkModuleTest, FlitsForPayload) {
  make(mesh(2, 2));
  EXPECT_EQ(network->flits_for(0), 1);
  EXPECT_EQ(network->flits_for(1), 2);
  EXPECT_EQ(network->flits_for(512), 17);
}

}  // namespace
}  // namespace tilewright
