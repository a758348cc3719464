// Loads of sums that the network forms: values, time, how many a core has under way, and what is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>

#include "sim/base/error.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"
#include "sim/session.h"
#include "tests/support/chip_text.h"

namespace tilewright {
namespace {

// Six clusters of two cores with 64 addressed KiB, flits of 32 bytes.
Hardware adding_chip(const std::string& network, int reduction = 8) {
  return chip_of(
      {.name = "adders",
       .clusters = "6",
       .cores_per_cluster = 2,
       .dma = "setup_cycles: 0, outstanding_requests: 64, request_bytes: 256, buffer_bytes_per_cycle: 256",
       .cluster_memory = "capacity_kib: 128, ways: 16, addressed_ways: 8, latency_cycles: 10",
       .network = fmt::format("{}, multicast: 16, reduction: {}, router: {{buffer_flits: 16}}", network, reduction)});
}

constexpr std::int64_t kValues = 512;

// Core c has the values c * 1000 + i at 1024 of `memory` when all pass the barrier; `work` follows in core `reader`,
// and stores kValues from acc@0.
Program summing(const Hardware& hardware, const std::string& memory, int reader, const std::string& work) {
  const auto bytes = static_cast<Bytes>(hardware.cores()) * kValues * 4;
  std::string text = fmt::format(
      "program \"sums\"\noperator 1 \"fill\"\noperator 2 \"sum\"\nsegment \"in\" input fp32 @0x0 {}\n"
      "segment \"out\" output fp32 @0x100000 {}\nsegment \"code\" instructions int8 @0x200000 65536\n",
      bytes, kValues * 4);
  for (int core = 0; core < hardware.cores(); ++core) {
    text += fmt::format("core {} fetch @{}\n", core, 0x200000 + core * 4096);
    const bool shared = memory == "cluster";
    if (!shared || core % hardware.cores_per_cluster == 0)
      text += fmt::format("{} op=1 fp32 [{}] dram@{}(4) -> {}@1024(4) unit=load\n", shared ? "copy" : "load", kValues,
                          core * kValues * 4, memory);
    text += fmt::format("barrier id=1 of={} unit=load\n", hardware.cores());
    if (core == reader)
      text += work + fmt::format("store op=1 fp32 [{}] acc@0(4) -> dram@0x100000(4) wait t0\n", kValues);
  }
  return parse_program(text, "sums");
}

RunOptions numbered(const Hardware& hardware) {
  RunOptions options;
  options.values = true;
  options.initial = {{"in", std::vector<std::byte>(static_cast<std::size_t>(hardware.cores() * kValues * 4))}};
  options.keep = {"out"};
  for (std::int64_t i = 0; i < hardware.cores() * kValues; ++i)
    store_element(&options.initial[0].bytes[static_cast<std::size_t>(4 * i)], DataType::kFp32,
                  static_cast<double>(i / kValues * 1000 + i % kValues));
  return options;
}

void expect_sum(const RunResult& result, const std::vector<int>& of) {
  for (std::int64_t i = 0; i < kValues; ++i) {
    double sum = 0;
    for (const int core : of) sum += static_cast<double>(core * 1000 + i);
    ASSERT_EQ(load_element(&result.kept[0].bytes[static_cast<std::size_t>(4 * i)], DataType::kFp32), sum) << i;
  }
}

void expect_sums_everywhere(Session& session) {
  const RunOptions options = numbered(session.hardware());
  for (const auto& [place, grid, of] : {std::tuple{"b.0", "[12](1)", std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
                                        {"b.1", "[3](4)", {1, 5, 9}},
                                        {"b.2", "[2,2](6,1)", {2, 3, 8, 9}},
                                        {"b.7", "[2](3)", {7, 10}}})
    for (const int reader : {0, 7, 11}) {
      const std::string work =
          fmt::format("load op=2 fp32 [{}] {}@1024(4) -> acc@0(4) sum={} post t0\n", kValues, place, grid);
      const RunResult result = session.run(summing(session.hardware(), "b", reader, work), options);
      expect_sum(result, of);
      EXPECT_EQ(result.statistics.at("memory.sum_bytes"), kValues * 4);
      EXPECT_EQ(result.statistics.at("memory.sum_additions"), kValues * (std::ssize(of) - 1));
    }
}

TEST(NetworkSum, IsTheSumOfAllBuffersOnEveryTopology) {
  std::vector<std::unique_ptr<Session>> sessions;  // all of them before one runs
  for (const char* network : {"topology: mesh, columns: 3, rows: 2", "topology: torus, columns: 3, rows: 2",
                              "topology: ring, routers: 6", "topology: smp", "topology: numa", "topology: crossbar",
                              "topology: mesh, columns: 2, rows: 1, clusters_per_router: 3, ports_per_cluster: 2"})
    sessions.push_back(std::make_unique<Session>(adding_chip(network)));
  for (const auto& session : sessions) {
    SCOPED_TRACE(static_cast<int>(session->hardware().network.topology));
    expect_sums_everywhere(*session);
  }
}

TEST(NetworkSum, OfTheMemoriesOfClustersAndOfStridedElements) {
  Session session(adding_chip("topology: mesh, columns: 3, rows: 2"));
  const RunOptions options = numbered(session.hardware());
  const std::string whole =
      fmt::format("load op=2 fp32 [{}] cluster.1@1024(4) -> acc@0(4) sum=[5](1) post t0\n", kValues);
  expect_sum(session.run(summing(session.hardware(), "cluster", 3, whole), options), {2, 4, 6, 8, 10});
  const std::string turned = "load op=2 fp32 [16,32] b.0@1024(128,4) -> acc@0(128,4) sum=[2](11) post t0\n";
  expect_sum(session.run(summing(session.hardware(), "b", 3, turned), options), {0, 11});
}

double cycles_of(const RunResult& result) {
  return static_cast<double>(result.operators[2].end - result.operators[2].begin) / 1000;
}

// From 1 and 3 of a row to 0, flits of 32 bytes: the request is copied on the way; parts of 256 bytes are 9 flits, and
// what passes the adder is put in and taken out once more.
TEST(NetworkSum, TakesALoadAndAnAdderMore) {
  Session session(adding_chip("topology: mesh, columns: 6, rows: 1"));
  const auto time_of = [&](const std::string& work) {
    return cycles_of(session.run(summing(session.hardware(), "b", 0, work)));
  };
  const std::string to = "@1024(4) -> acc@0(4) ";
  const double load = time_of("load op=2 fp32 [64] b.6" + to + "post t0\n");
  const double sum = time_of("load op=2 fp32 [64] b.4" + to + "sum=[2](2) post t0\n");
  EXPECT_EQ(sum - load, 7 + 8) << "router and terminals again, behind the last of 9 flits";
}

TEST(NetworkSum, ACoreHasNoMoreUnderWayThanAddersHaveRoomFor) {
  std::map<int, std::unique_ptr<Session>> sessions;
  for (const int reduction : {1, 2, 8})
    sessions[reduction] = std::make_unique<Session>(adding_chip("topology: mesh, columns: 3, rows: 2", reduction));
  const auto cycles = [&](int reduction) {
    const std::string work = fmt::format("load op=2 fp32 [{}] b.0@1024(4) -> acc@0(4) sum=[12](1) post t0\n", kValues);
    Session& session = *sessions[reduction];
    return cycles_of(session.run(summing(session.hardware(), "b", 5, work)));
  };
  EXPECT_GT(cycles(1), 1.5 * cycles(2)) << "one after the other";
  EXPECT_GT(cycles(2), cycles(8));
}

TEST(NetworkSum, WhatIsNoSum) {
  const Hardware hardware = adding_chip("topology: mesh, columns: 3, rows: 2");
  const auto message = [&](const Hardware& chip, const std::string& load) {
    const auto violations = find_violations(summing(hardware, "b", 0, load + " post t0\n"), chip, 1);
    return violations.empty() ? "" : violations.front().reason;
  };
  const auto sum = [&](const std::string& of, const std::string& grid, const std::string& type = "fp32") {
    return message(hardware, fmt::format("load op=2 {} [4] {}@1024(4) -> acc@0(4) sum={}", type, of, grid));
  };
  EXPECT_EQ(sum("b.0", "[12](1)"), "");
  EXPECT_EQ(sum("b.1", "[12](1)"), "source is in b.12, the chip has 12 cores");
  EXPECT_EQ(sum("b.0", "[13](1)"), "a sum of 13 memories, the chip has 12 cores");
  EXPECT_EQ(sum("cluster.3", "[4](1)"), "source is in cluster.6, the chip has 6 clusters");
  EXPECT_EQ(sum("b.0", "[3](0)"), "a sum of 3 memories 0 apart");
  EXPECT_EQ(sum("b.0", "[2,3](2,1)"), "the memories of a sum are not in rising order: steps of 2 and 1");
  EXPECT_EQ(sum("dram", "[2](1)"), "only a load from memories of cores or clusters, by number, may sum");
  EXPECT_EQ(sum("b.0", "[2](1)", "bf16"), "a sum of bf16, expected fp32 or int32");
  EXPECT_EQ(message(hardware, "load op=2 fp32 [4] b.0@1024(4) -> acc@0(4) sum=[2](1) pad=[1:0]"), "a sum may not pad");
  Hardware plain = hardware;
  plain.network.reduction = 0;
  EXPECT_EQ(message(plain, "load op=2 fp32 [4] b.0@1024(4) -> acc@0(4) sum=[2](1)"),
            "the network of 'adders' adds nothing (network.reduction)");
}

// What one of them may still be writing is not added.
TEST(NetworkSum, RacesWithEveryMemoryItReads) {
  const Hardware hardware = adding_chip("topology: mesh, columns: 3, rows: 2");
  const std::string text =
      "program \"p\"\noperator 1 \"w\"\nsegment \"in\" input fp32 @0x0 4096\n"
      "segment \"code\" instructions int8 @0x200000 65536\n"
      "core 0 fetch @0x200000\nload op=1 fp32 [4] b.1@0(4) -> acc@0(4) sum=[3](1)\n"
      "core 3 fetch @0x201000\nload op=1 fp32 [4] dram@0x0(4) -> b@0(4)\n";
  EXPECT_THROW(verify(parse_program(text, "p"), hardware, "p"), UserError);
}

}  // namespace
}  // namespace tilewright
