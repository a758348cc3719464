// Cores that work together: signals, barriers, cluster memory, the cluster cache, copies.
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/binary.h"
#include "sim/session.h"

namespace tilewright {
namespace {

constexpr Address kInput = 0, kOutput = 1 << 20, kCode = 2 << 20;
constexpr Bytes kCodeBytes = 1 << 16;

class MultiCore : public testing::Test {
 protected:
  MultiCore() {
    program_.name = "hand-made";
    program_.operators = {"none", "work"};
    program_.cores.resize(hardware_.cores());
    program_.segments = {{"in", SegmentKind::kConstant, DataType::kInt8, kInput, 1 << 16},
                         {"out", SegmentKind::kOutput, DataType::kInt8, kOutput, 1 << 16},
                         {"code", SegmentKind::kInstructions, DataType::kInt8, kCode, 4 * kCodeBytes}};
    for (int i = 0; i < hardware_.cores(); ++i) program_.cores[i].fetch_address = kCode + i * kCodeBytes;
  }

  Instruction& add(int core, Unit unit, Payload payload) {
    program_.cores[core].instructions.push_back({unit, 1, {}, {}, std::move(payload)});
    return program_.cores[core].instructions.back();
  }
  static Transfer transfer(TransferKind kind, Space from, Address from_at, Space to, Address to_at, Bytes bytes) {
    Transfer move;
    move.kind = kind;
    move.type = DataType::kInt8;
    move.shape = {1, 1, 1, 1, bytes};
    move.source = {from, from_at, {0, 0, 0, 0, 1}};
    move.target = {to, to_at, {0, 0, 0, 0, 1}};
    return move;
  }
  static Transfer load(Address from, Bytes bytes, bool cached = false) {
    Transfer move = transfer(TransferKind::kLoad, Space::kDram, from, Space::kBufferA, 0, bytes);
    move.cached = cached;
    return move;
  }
  RunOptions values() const {
    RunOptions options;
    options.values = true;
    options.initial = {{"in", std::vector<std::byte>(1 << 16)}};
    for (std::size_t i = 0; i < options.initial[0].bytes.size(); ++i) {
      options.initial[0].bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
    }
    options.keep = {"out"};
    return options;
  }

  const Hardware hardware_ = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/dual_cluster_cache.yaml");
  Program program_;
};

TEST_F(MultiCore, ASignalArrivesAfterTheWorkBeforeIt) {
  Session session(hardware_);
  add(0, Unit::kLoad, load(0, 4096));
  const Picoseconds alone = session.run(program_).time;
  add(0, Unit::kLoad, Signal{1, 0});
  add(1, Unit::kLoad, Wait{0, 1});
  const Picoseconds both = session.run(program_).time;
  EXPECT_GE(both, alone + hardware_.core_clock.to_ps(hardware_.core.control.signal_cycles));
  EXPECT_LE(both, alone + hardware_.core_clock.to_ps(hardware_.core.control.signal_cycles + 20));
}

TEST_F(MultiCore, ABarrierWaitsForTheLast) {
  Session session(hardware_);
  add(0, Unit::kLoad, load(0, 32768));
  const Picoseconds slowest = session.run(program_).time;
  for (int core = 0; core < hardware_.cores(); ++core) add(core, Unit::kLoad, Barrier{1, hardware_.cores()});
  for (int core = 1; core < hardware_.cores(); ++core) add(core, Unit::kLoad, load(0, 256));
  const RunResult result = session.run(program_);
  EXPECT_GT(result.time, slowest);
  EXPECT_EQ(result.statistics.at("sync.barriers"), 1);
}

TEST_F(MultiCore, ClusterMemoryCarriesValuesFromCoreToCore) {
  Session session(hardware_);
  add(0, Unit::kLoad, load(512, 1024)).posts.add(0);
  add(0, Unit::kStore, transfer(TransferKind::kStore, Space::kBufferA, 0, Space::kCluster, 128, 1024)).waits.add(0);
  add(0, Unit::kStore, Signal{1, 3});
  add(1, Unit::kLoad, Wait{3, 1});
  add(1, Unit::kLoad, transfer(TransferKind::kLoad, Space::kCluster, 128, Space::kBufferB, 0, 1024)).posts.add(0);
  add(1, Unit::kStore, transfer(TransferKind::kStore, Space::kBufferB, 0, Space::kDram, kOutput, 1024)).waits.add(0);
  const RunOptions options = values();
  const RunResult result = session.run(program_, options);
  const auto &in = options.initial[0].bytes, &out = result.kept[0].bytes;
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + 1024, in.begin() + 512));
  EXPECT_EQ(result.operators[1].events[static_cast<int>(Event::kClusterWriteBytes)], 1024);
  EXPECT_EQ(result.operators[1].events[static_cast<int>(Event::kClusterReadBytes)], 1024);
  EXPECT_EQ(session.run(program_).time, result.time) << "the same time without values";
}

TEST_F(MultiCore, ASecondCoreFindsTheLinesInTheClusterCache) {
  Session session(hardware_);
  add(0, Unit::kLoad, load(0, 16384, true));
  const RunResult cold = session.run(program_);
  EXPECT_EQ(cold.statistics.at("cluster0.misses"), 16384 / hardware_.cluster_memory->line_bytes);
  add(0, Unit::kLoad, Signal{1, 0});
  add(1, Unit::kLoad, Wait{0, 1});
  add(1, Unit::kLoad, load(0, 16384, true));
  const RunResult shared = session.run(program_);
  EXPECT_EQ(shared.statistics.at("cluster0.misses"), cold.statistics.at("cluster0.misses"));
  EXPECT_EQ(shared.statistics.at("cluster0.hits"), 16384 / hardware_.cluster_memory->line_bytes);
  EXPECT_LT(shared.time - cold.time, cold.time);
}

TEST_F(MultiCore, TwoCoresThatAskForALineAtOnceFetchItOnce) {
  Session session(hardware_);
  add(0, Unit::kLoad, load(0, 16384, true));
  add(1, Unit::kLoad, load(0, 16384, true));
  const RunResult result = session.run(program_);
  const double lines = 16384.0 / static_cast<double>(hardware_.cluster_memory->line_bytes);
  EXPECT_EQ(result.statistics.at("cluster0.misses"), lines);
  EXPECT_EQ(result.statistics.at("cluster0.merged") + result.statistics.at("cluster0.hits"), lines);
}

TEST_F(MultiCore, CopyTransposesInDram) {
  Session session(hardware_);
  Transfer copy = transfer(TransferKind::kCopy, Space::kDram, kInput, Space::kDram, kOutput, 1);
  copy.shape = {1, 1, 1, 64, 64};
  copy.source.stride = {0, 0, 0, 64, 1};
  copy.target.stride = {0, 0, 0, 1, 64};
  add(0, Unit::kStore, copy);
  const RunOptions options = values();
  const RunResult result = session.run(program_, options);
  for (int i = 0; i < 64; ++i) {
    for (int j = 0; j < 64; ++j) {
      ASSERT_EQ(result.kept[0].bytes[i + 64 * j], options.initial[0].bytes[64 * i + j]);
    }
  }
  EXPECT_EQ(result.statistics.at("core0.dma.read_bytes"), 4096);
  EXPECT_EQ(result.statistics.at("core0.dma.write_bytes"), 4096);
}

TEST_F(MultiCore, CoresOfABusClusterShareThePort) {
  Hardware bus = hardware_;
  bus.cluster_memory.reset();
  Session session(bus);
  add(0, Unit::kLoad, load(0, 65536));
  const Picoseconds alone = session.run(program_).time;
  add(1, Unit::kLoad, load(0, 65536));
  const Picoseconds shared = session.run(program_).time;
  program_.cores[2] = program_.cores[1];
  program_.cores[2].fetch_address = kCode + 2 * kCodeBytes;
  program_.cores[1].instructions.clear();
  const Picoseconds apart = session.run(program_).time;
  EXPECT_GT(shared, alone * 3 / 2);
  EXPECT_LT(apart, shared);
}

}  // namespace
}  // namespace tilewright
