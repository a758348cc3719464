// Cores that reach into each other's buffers and into the memory of other clusters: values, time, contention, what is
// counted, and signals as packets.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"
#include "sim/session.h"
#include "tests/support/chip_text.h"
#include "tests/support/property.h"

namespace tilewright {
namespace {

constexpr Bytes kBytes = 4096;

// Three clusters of two cores, one port each, 64 addressed KiB a cluster. `network`: the topology's keys.
Hardware peer_chip(const std::string& network = "topology: mesh, columns: 3, rows: 1", const std::string& more = "") {
  return chip_of({.name = "peers",
                  .clusters = "3",
                  .cores_per_cluster = 2,
                  .dma = "setup_cycles: 0, outstanding_requests: 64, request_bytes: 256, buffer_bytes_per_cycle: 64",
                  .core = more,
                  .cluster_memory = "capacity_kib: 128, ways: 16, addressed_ways: 8, latency_cycles: 10",
                  .network = network,
                  .dram = "preset: HBM2_2000, channels: 3, channel_capacity_mib: 64"});
}

Hardware with_packets(const std::string& network) { return peer_chip(network, "  control: {signals: packets}"); }

std::string peer_header() {
  return "program \"peers\"\noperator 1 \"work\"\n"
         "segment \"in\" constant int8 @0x0 65536\nsegment \"out\" output int8 @0x10000 65536\n"
         "segment \"code\" instructions int8 @0x40000 65536\n";
}

// "core N fetch" lines in front of each core's text.
Program peers(const std::map<int, std::string>& cores) {
  std::string text = peer_header();
  for (const auto& [core, lines] : cores)
    text += fmt::format("core {} fetch @{}\n{}", core, 0x40000 + core * 4096, lines);
  return parse_program(text, "peers");
}

RunOptions peer_values() {
  RunOptions options;
  options.values = true;
  options.initial = {{"in", std::vector<std::byte>(65536)}};
  for (std::size_t i = 0; i < 65536; ++i) options.initial[0].bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  options.keep = {"out"};
  return options;
}

// Whether out[0, kBytes) is in[512, 512 + kBytes).
void expect_handed_over(Session& session, const Program& program) {
  const RunOptions options = peer_values();
  const RunResult result = session.run(program, options);
  const auto &in = options.initial[0].bytes, &out = result.kept[0].bytes;
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + kBytes, in.begin() + 512));
  EXPECT_EQ(session.run(program).time, result.time) << "the same time without values";
}

const char* const kFill = "load op=1 int8 [4096] dram@512(1) -> a@0(1) post t0\n";
const char* const kDrain = "store op=1 int8 [4096] b@0(1) -> dram@0x10000(1) wait t0\n";

TEST(Peer, AStoreIntoAnotherCoresBuffer) {
  Session session(peer_chip());
  for (const int target : {1, 2, 5}) {
    const std::string give = fmt::format(
        "store op=1 int8 [4096] a@0(1) -> b.{}@0(1) wait t0\nsignal core={} flag=1 unit=store\n", target, target);
    expect_handed_over(session, peers({{0, kFill + give},
                                       {target, std::string("wait flag=1 count=1 unit=store\n") +
                                                    "store op=1 int8 [4096] b@0(1) -> dram@0x10000(1)\n"}}));
  }
}

TEST(Peer, ALoadFromAnotherCoresBuffer) {
  Session session(peer_chip());
  const std::string fill = "load op=1 int8 [4096] dram@512(1) -> a@0(1)\nsignal core=4 flag=1 unit=load\n";
  const std::string take = "wait flag=1 count=1 unit=load\nload op=1 int8 [64,64] a.0@0(64,1) -> b@0(64,1) post t0\n";
  expect_handed_over(session, peers({{0, fill}, {4, take + kDrain}}));
}

TEST(Peer, AnotherClustersMemoryBothWays) {
  Session session(peer_chip());
  const std::string give =
      "store op=1 int8 [4096] a@0(1) -> cluster.2@128(1) wait t0\nsignal core=2 flag=1 unit=store\n";
  const std::string take = "wait flag=1 count=1 unit=load\nload op=1 int8 [4096] cluster.2@128(1) -> b@0(1) post t0\n";
  expect_handed_over(session, peers({{0, kFill + give}, {2, take + kDrain}}));
}

TEST(Peer, CopiesBetweenMemoriesOfOthers) {
  Session session(peer_chip());
  const std::string move =
      "copy op=1 int8 [4096] dram@512(1) -> cluster.1@0(1) unit=load\n"
      "copy op=1 int8 [4096] cluster.1@0(1) -> acc.3@64(1) unit=load\n"
      "copy op=1 int8 [4096] acc.3@64(1) -> dram@0x10000(1) unit=load\n";
  expect_handed_over(session, peers({{0, move}}));
}

Picoseconds time_of(Session& session, const std::map<int, std::string>& cores) {
  return session.run(peers(cores)).time;
}

// A read of one byte: both ways over the network, one pass of the port of 64 bytes a cycle, nothing else.
TEST(Peer, ALoneReadOrWriteTakesTheZeroLoadLatency) {
  Session session(peer_chip());
  for (const int hops : {0, 1, 2}) {
    const RunResult result =
        session.run(peers({{0, fmt::format("load op=1 int8 [1] a.{}@0(1) -> a@0(1)\n", 1 + 2 * hops)}}));
    const double request = 7 + 5 * hops, answer = request + 1;  // the data take a second flit
    EXPECT_EQ(result.statistics.at("memory.peer_average_read_latency"), request + 1 + answer) << hops;
    const RunResult store =
        session.run(peers({{0, fmt::format("store op=1 int8 [1] a@0(1) -> b.{}@0(1)\n", 1 + 2 * hops)}}));
    EXPECT_EQ(store.statistics.at("memory.peer_average_write_latency"), answer + 1 + request) << hops;
  }
}

std::string stores_to(int target, Bytes at) {
  return fmt::format("store op=1 int8 [16384] a@0(1) -> b.{}@{}(1)\n", target, at);
}

// Two clusters that store into one core share its port, 32 bytes a cycle; into two cores of two clusters they do not.
TEST(Peer, StoresIntoOneClusterContendForItsPort) {
  Session session(peer_chip("topology: crossbar"));
  const Picoseconds alone = time_of(session, {{0, stores_to(4, 0)}});
  const Picoseconds apart = time_of(session, {{0, stores_to(4, 0)}, {2, stores_to(1, 0)}});
  const Picoseconds together = time_of(session, {{0, stores_to(4, 0)}, {2, stores_to(4, 16384)}});
  EXPECT_LT(apart, alone * 13 / 10);
  EXPECT_GT(together, alone * 17 / 10);
  EXPECT_GE(together, 2 * 16384 / 32 * 1000);
}

// A slow port to the buffers is shared with what the core itself moves.
TEST(Peer, GuestsTakeTurnsWithTheCoreItself) {
  Hardware hardware = peer_chip("topology: crossbar, ports_per_cluster: 2");
  hardware.core.dma.buffer_bytes_per_cycle = 16;
  const std::string own = "load op=1 int8 [16384] dram@0(1) -> a@0(1)\n";
  Session session(hardware);
  const Picoseconds alone = time_of(session, {{4, own}});
  const Picoseconds beside = time_of(session, {{4, own}, {0, stores_to(4, 0)}});
  EXPECT_GT(beside, alone * 17 / 10);
}

// The remote memory has banks of its own: many readers of one cluster are limited by them.
TEST(Peer, ReadersOfOneClusterMemoryContendForItsBanks) {
  Hardware hardware = peer_chip("topology: crossbar, flit_bytes: 256");
  hardware.cluster_memory->banks = 1;
  hardware.cluster_memory->bank_bytes_per_cycle = 8;
  const std::string read = "load op=1 int8 [16384] cluster.0@0(1) -> a@0(1)\n";
  Session session(hardware);
  const Picoseconds one = time_of(session, {{2, read}}), two = time_of(session, {{2, read}, {4, read}});
  EXPECT_GE(one, 16384 / 8 * 1000);
  EXPECT_GT(two, one * 18 / 10);
}

TEST(Peer, WhatIsCounted) {
  Session session(peer_chip());
  const RunResult result = session.run(peers({{0, "store op=1 int8 [4096] a@0(1) -> b.3@0(1)\n"}}));
  const auto events = [&](Event event) { return result.operators[1].events[static_cast<int>(event)]; };
  EXPECT_EQ(events(Event::kBufferReadBytes), kBytes);
  EXPECT_EQ(events(Event::kBufferWriteBytes), kBytes);
  EXPECT_EQ(events(Event::kDramWriteBytes), 0);
  EXPECT_GE(events(Event::kFlitHop), 2 * kBytes / 32);  // two routers
  EXPECT_EQ(result.statistics.at("memory.peer_write_bytes"), kBytes);
  EXPECT_EQ(result.statistics.at("memory.peer_writes"), kBytes / 256);
  EXPECT_EQ(result.statistics.at("memory.writes"), 0);
  EXPECT_EQ(result.statistics.at("core3.buffer_b.written_bytes"), kBytes);
  EXPECT_EQ(result.statistics.at("core3.dma.guest_bytes"), kBytes);
  const RunResult without =
      session.run(peers({{0, kFill + std::string("store op=1 int8 [4096] a@0(1) -> dram@0x10000(1) wait t0\n")}}));
  for (const Statistic& statistic : without.statistics.all())
    EXPECT_EQ(statistic.name.find("peer"), std::string::npos) << statistic.name;
}

// The time from sending to arrival: the lone packet's latency on a network without load, more behind data.
TEST(Peer, SignalsAsPacketsTakeTheirWay) {
  const std::map<int, std::string> bare{{0, kFill + std::string("signal core=5 flag=1 unit=store wait t0\n")},
                                        {5, "wait flag=1 count=1 unit=load\n"}};
  Hardware without_delay = peer_chip();
  without_delay.core.control.signal_cycles = 0;
  Session wires(without_delay), packets(with_packets("topology: mesh, columns: 3, rows: 1"));
  EXPECT_EQ(time_of(packets, bare) - time_of(wires, bare), (7 + 5 * 2) * 1000);
  EXPECT_EQ(packets.run(peers(bare)).statistics.at("memory.peer_average_signal_latency"), 7 + 5 * 2);

  const std::string data = "store op=1 int8 [16384] a@0(1) -> b.4@0(1)\n";
  std::map<int, std::string> busy = bare;
  busy[1] = data;
  const RunResult loaded = packets.run(peers(busy));
  EXPECT_EQ(loaded.statistics.at("memory.peer_signals"), 1);
  EXPECT_GT(loaded.statistics.at("memory.peer_average_signal_latency"), 7 + 5 * 2);
  EXPECT_EQ(loaded.statistics.at("sync.signals"), 1);
}

// The signal follows the stores before it: they have been taken when it leaves.
class PeerOn : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(
    Topology, PeerOn,
    testing::Values("topology: smp", "topology: numa", "topology: mesh, columns: 2, rows: 2",
                    "topology: torus, columns: 3, rows: 2", "topology: ring, routers: 3",
                    "topology: crossbar, ports_per_cluster: 3", "topology: simple",
                    "topology: smp, clusters_per_router: 3",
                    "topology: mesh, columns: 3, rows: 1, ports_per_cluster: 2, request_port: turn"));

TEST_P(PeerOn, ASignalAsAPacketComesAfterTheData) {
  Session session(with_packets(GetParam()));
  const std::string give = "store op=1 int8 [4096] a@0(1) -> b.5@0(1) wait t0\nsignal core=5 flag=1 unit=store\n";
  expect_handed_over(session, peers({{0, kFill + give},
                                     {5, std::string("wait flag=1 count=1 unit=store\n") +
                                             "store op=1 int8 [4096] b@0(1) -> dram@0x10000(1)\n"}}));
}

// Transfers one after the other, each by any core between any two memories, as text and as what they do to the bytes.
class RandomTransfers {
 public:
  RandomTransfers(const Hardware& hardware, const std::vector<std::byte>& input, std::uint64_t seed)
      : hardware_(hardware), random_(seed) {
    memory({"dram", "in"}).assign(input.begin(), input.end());
    memory({"dram", "out"}).resize(65536);
  }

  Program program(int count) {
    for (int i = 0; i < count; ++i) step(i, below(3));
    for (int core = 0; core < hardware_.cores(); ++core) keep(count + core, core);
    return peers(lines_);
  }
  const std::vector<std::byte>& output() { return memory({"dram", "out"}); }

 private:
  using Memory = std::pair<std::string, std::string>;  // space; owner, or segment
  struct Box {
    Bytes address = 0, pitch = 0;
  };

  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  std::vector<std::byte>& memory(const Memory& name) {
    std::vector<std::byte>& bytes = memories_[name];
    if (bytes.empty()) bytes.resize(65536);
    return bytes;
  }
  Memory own_buffer(int core) {
    return {std::vector<std::string>{"a", "b", "acc"}[static_cast<std::size_t>(below(3))], std::to_string(core)};
  }
  // What a core reaches by requests; `write`: not the input.
  Memory anywhere(int core, bool write) {
    const int kind = below(4);
    if (kind == 0) return {"dram", write || below(2) == 0 ? "out" : "in"};
    if (kind == 1) return {"cluster", std::to_string(below(hardware_.clusters))};
    const int other = below(hardware_.cores() - 1);
    return own_buffer(other < core ? other : other + 1);
  }
  std::string place(int core, const Memory& name, const Box& box) const {
    const auto& [space, owner] = name;
    const Bytes base = space != "dram" ? 0 : owner == "out" ? 0x10000 : 0;
    const int own = space == "cluster" ? hardware_.cluster_of(core) : core;
    const bool named = space != "dram" && owner != std::to_string(own);
    return fmt::format("{}{}@{}({},1)", space, named ? "." + owner : "", base + box.address, box.pitch);
  }

  // Its core gets the turn from the one before by a signal.
  void emit(int number, int core, const std::string& unit, const std::string& text) {
    if (number > 0) {
      lines_[last_core_] += fmt::format("signal core={} flag={} unit={}\n", core, number, last_unit_);
      lines_[core] += fmt::format("wait flag={} count=1 unit={}\n", number, unit);
    }
    lines_[core] += text + fmt::format(" unit={}\n", unit);
    last_core_ = core;
    last_unit_ = unit;
  }

  void step(int number, int kind) {
    const int core = below(hardware_.cores());
    const Memory from = kind == 1 ? own_buffer(core) : anywhere(core, false);
    Memory to = kind == 0 ? own_buffer(core) : anywhere(core, true);
    while (to == from) to = anywhere(core, true);
    const int rows = 1 + below(6), columns = 1 + below(900);
    const auto box = [&] {
      const Bytes pitch = columns + below(300);
      return Box{below(static_cast<int>(65536 - rows * pitch)), pitch};
    };
    const Box source = box(), target = box();
    const char* const names[] = {"load", "store", "copy"};
    emit(number, core, kind == 1 || (kind == 2 && below(2) == 0) ? "store" : "load",
         fmt::format("{} op=1 int8 [{},{}] {} -> {}", names[kind], rows, columns, place(core, from, source),
                     place(core, to, target)));
    for (int row = 0; row < rows; ++row)
      std::copy_n(memory(from).begin() + source.address + row * source.pitch, columns,
                  memory(to).begin() + target.address + row * target.pitch);
  }

  // Some of what a core ends with is stored where the test looks.
  void keep(int number, int core) {
    const Memory from = own_buffer(core);
    const Box source{below(60000), 4000}, target{core * 4000, 4000};
    emit(number, core, "store",
         fmt::format("store op=1 int8 [1,4000] {} -> {}", place(core, from, source),
                     place(core, {"dram", "out"}, target)));
    std::copy_n(memory(from).begin() + source.address, 4000, memory({"dram", "out"}).begin() + target.address);
  }

  const Hardware& hardware_;
  std::mt19937_64 random_;
  std::map<Memory, std::vector<std::byte>> memories_;
  std::map<int, std::string> lines_;
  int last_core_ = 0;
  std::string last_unit_;
};

TEST_P(PeerOn, RandomTransfersBetweenAllMemories) {
  Session session(with_packets(GetParam()));
  const RunOptions options = peer_values();
  const test::Property wanted = test::property(1, 8);
  for (int i = 0; i < wanted.cases; ++i) {
    const std::uint64_t seed = wanted.seed + static_cast<std::uint64_t>(i);
    RandomTransfers transfers(session.hardware(), options.initial[0].bytes, seed);
    const Program program = transfers.program(60);
    const RunResult result = session.run(program, options);
    EXPECT_EQ(result.kept[0].bytes, transfers.output()) << "seed " << seed;
    EXPECT_EQ(session.run(program, options).statistics, result.statistics) << "the second run is the first";
  }
}

TEST(Peer, RacesAcrossCoresAreFound) {
  const auto fault = [](const std::map<int, std::string>& cores) -> std::string {
    try {
      verify(peers(cores), peer_chip(), "peers");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const std::string give = "store op=1 int8 [4096] a@0(1) -> b.5@0(1)\n", signal = "signal core=5 flag=1 unit=store\n";
  const std::string wait = "wait flag=1 count=1 unit=store\n",
                    use = "store op=1 int8 [1] b@4095(1) -> dram@0x10000(1)\n";
  EXPECT_EQ(fault({{0, give + signal}, {5, wait + use}}), "");
  EXPECT_NE(fault({{0, give + signal}, {5, use + wait}}).find("races with core"), std::string::npos);
  EXPECT_NE(fault({{0, signal + give}, {5, wait + use}}).find("races with core"), std::string::npos);
  // Two cores into one buffer, apart and on a common byte.
  EXPECT_EQ(fault({{0, give}, {1, "store op=1 int8 [4096] a@0(1) -> b.5@4096(1)\n"}}), "");
  EXPECT_NE(fault({{0, give}, {1, "store op=1 int8 [4096] a@0(1) -> b.5@4095(1)\n"}}).find("in b.5 races with core 0"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewright
