// The queue model of hand-made programs beside what the machine's description says and beside the simulated chip.
#include "planner/estimate/queue_model/queue_model.h"

#include <gtest/gtest.h>

#include <set>

#include "planner/import/import.h"
#include "planner/passes/pass.h"
#include "sim/hw/config/hardware_fields.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/session.h"

namespace tilewright {
namespace {

constexpr Address kCode = 1 << 24;
constexpr Bytes kCodeBytes = 1 << 16;

struct Closeness {
  const char* chip;  // or topology
  double error;      // of the time, at most
};

class QueueModel : public testing::Test {
 protected:
  explicit QueueModel(const char* chip = "quad_smp.yaml") : QueueModel(resolve(config_of(chip))) {}
  explicit QueueModel(Hardware hardware) : hardware_(std::move(hardware)) {
    program_.name = "hand-made";
    program_.cores.resize(hardware_.cores());
    program_.segments = {{"in", SegmentKind::kConstant, DataType::kInt8, 0, 1 << 23},
                         {"out", SegmentKind::kOutput, DataType::kInt8, 1 << 23, 1 << 23},
                         {"code", SegmentKind::kInstructions, DataType::kInt8, kCode, 16 * kCodeBytes}};
    for (int core = 0; core < hardware_.cores(); ++core) program_.cores[core].fetch_address = kCode + core * kCodeBytes;
  }

  static HardwareConfig config_of(const char* chip) {
    return read_hardware(std::string(TILEWRIGHT_SOURCE_DIR "/hw_configs/") + chip);
  }

  Instruction& add(int core, Unit unit, Payload payload) {
    program_.cores[core].instructions.push_back({unit, 0, {}, {}, std::move(payload)});
    return program_.cores[core].instructions.back();
  }
  // `rows` rows of `row` bytes, `pitch` apart in DRAM from `from` on, into buffer A.
  static Transfer load(Address from, std::int64_t rows, Bytes row, Bytes pitch, bool cached = false) {
    Transfer move;
    move.type = DataType::kInt8;
    move.cached = cached;
    move.shape = {1, 1, 1, rows, row};
    move.source = {Space::kDram, from, {0, 0, 0, pitch, 1}};
    move.target = {Space::kBufferA, 0, {0, 0, 0, row, 1}};
    return move;
  }
  static Transfer store(Address to, Bytes bytes) {
    Transfer move;
    move.kind = TransferKind::kStore;
    move.type = DataType::kInt8;
    move.shape = {1, 1, 1, 1, bytes};
    move.source = {Space::kBufferA, 0, {0, 0, 0, 0, 1}};
    move.target = {Space::kDram, to, {0, 0, 0, 0, 1}};
    return move;
  }
  // Columns of `row` bytes one after another, until rows of `pitch` bytes are full.
  void add_columns(int core, Address to, std::int64_t rows, Bytes row, Bytes pitch) {
    for (Bytes column = 0; column < pitch; column += row) {
      Transfer move = store(to + column, row);
      move.shape = {1, 1, 1, rows, row};
      move.source = {Space::kAccumulator, 0, {0, 0, 0, row, 1}};
      move.target.stride = {0, 0, 0, pitch, 1};
      add(core, Unit::kStore, move);
    }
  }
  static Vector work(std::int64_t elements) {
    Vector vector;
    vector.op = VectorOp::kNegate;
    vector.shape = {1, 1, 1, 1, elements};
    vector.a = vector.target = {Space::kAccumulator, 0, {0, 0, 0, 0, 4}, DataType::kFp32};
    return vector;
  }
  double predicted() const { return queue_model_cycles(hardware_, program_); }
  double simulated() const {
    Session session(hardware_);
    return static_cast<double>(session.run(program_).time) / static_cast<double>(hardware_.core_clock.period_ps);
  }
  void clear() {
    for (CoreProgram& core : program_.cores) core.instructions.clear();
  }

  Hardware hardware_;
  Program program_;
};

TEST_F(QueueModel, CoresThatShareAChannelTakeTwiceAsLong) {
  // One chunk of every row of all channels: everything comes from channel 0. The cores are of different clusters.
  const Bytes chunk = hardware_.dram.interleave_bytes, pitch = chunk * hardware_.dram.channels;
  add(0, Unit::kLoad, load(0, 1024, chunk, pitch));
  const double alone = predicted();
  add(4, Unit::kLoad, load(1 << 21, 1024, chunk, pitch));
  const double together = predicted();
  EXPECT_NEAR(together / alone, 2, 0.1);
  clear();
  add(0, Unit::kLoad, load(0, 1024, chunk, pitch));
  add(4, Unit::kLoad, load((1 << 21) + chunk, 1024, chunk, pitch));
  EXPECT_NEAR(predicted() / alone, 1, 0.05);
}

TEST_F(QueueModel, CoresThatShareTheirClustersPortsTakeTwiceAsLong) {
  // All channels; four cores of one cluster ask for twice what its two ports carry, four cores of four do not.
  for (int core = 0; core < 4; ++core) add(core, Unit::kLoad, load(core << 18, 1, 1 << 18, 1 << 18));
  const double one_cluster = predicted();
  clear();
  for (int core = 0; core < 4; ++core) add(4 * core, Unit::kLoad, load(core << 18, 1, 1 << 18, 1 << 18));
  const double four_clusters = predicted();
  const double ports = static_cast<double>(hardware_.network.flit_bytes * hardware_.network.ports_per_cluster);
  EXPECT_GT(one_cluster, (1 << 20) / ports);
  EXPECT_LT(one_cluster, 1.25 * (1 << 20) / ports);
  EXPECT_GT(one_cluster, 2 * four_clusters);
}

TEST_F(QueueModel, StreamsWaitForTokens) {
  const Bytes bytes = 1 << 16;
  add(0, Unit::kLoad, load(0, 1, bytes, bytes));
  add(0, Unit::kVector, work(100'000));
  const double together = predicted();
  program_.cores[0].instructions[0].posts.add(0);
  program_.cores[0].instructions[1].waits.add(0);
  const double in_turn = predicted();
  clear();
  add(0, Unit::kLoad, load(0, 1, bytes, bytes));
  const double loading = predicted();
  EXPECT_NEAR(in_turn, loading + 100'000.0 / hardware_.core.vector.lanes, 100);
  EXPECT_LT(together, in_turn - 0.5 * loading);
}

TEST_F(QueueModel, CoresWaitForSignalsAndBarriers) {
  add(0, Unit::kVector, work(100'000));
  add(0, Unit::kVector, Signal{4, 2});
  add(4, Unit::kVector, Wait{2, 1});
  add(4, Unit::kVector, work(50'000));
  const double rate = hardware_.core.vector.lanes;
  EXPECT_NEAR(predicted(), 150'000 / rate, 0.1 * 150'000 / rate);
  clear();
  add(0, Unit::kVector, work(100'000));
  for (const int core : {0, 4}) {
    add(core, Unit::kVector, Barrier{1, 2});
    add(core, Unit::kVector, work(50'000));
  }
  EXPECT_NEAR(predicted(), 150'000 / rate, 0.1 * 150'000 / rate);
}

TEST_F(QueueModel, ComesCloseToTheSimulatedChipWhereLittleCompetes) {
  add(0, Unit::kLoad, load(0, 64, 2048, 4096)).posts.add(0);
  add(0, Unit::kStore, store(1 << 23, 1 << 15)).waits.add(0);
  add(5, Unit::kLoad, load(1 << 20, 1, 1 << 17, 1 << 17));
  const double expected = simulated();
  EXPECT_NEAR(predicted() / expected, 1, 0.05);
}

// One virtual channel for requests: between two packets of two flits a router routes and allocates for as long again.
class QueueModelOfOneVirtualChannel : public QueueModel {
 protected:
  QueueModelOfOneVirtualChannel() : QueueModel("edge_single.yaml") {}
};

TEST_F(QueueModelOfOneVirtualChannel, ShortPacketsWaitForTheChannelOfTheOneBefore) {
  ASSERT_EQ(hardware_.network.router.virtual_channels, 2);
  add_columns(0, 1 << 23, 96, 32, 128);
  const double alone = predicted();
  EXPECT_NEAR(alone / simulated(), 1, 0.01);
  hardware_.network.router.virtual_channels = 4;
  EXPECT_LT(predicted(), 0.8 * alone);
}

TEST_F(QueueModelOfOneVirtualChannel, AReadKeepsItsRowOpenWhileWritesGoFirst) {
  hardware_.core.dma.outstanding_requests = 4;
  add(0, Unit::kLoad, load(0, 64, 8, 2048));
  add_columns(0, 1 << 23, 64, 8, 8);
  EXPECT_NEAR(predicted() / simulated(), 1, 0.1);
}

// Reads behind writes pass once no write is left, though a drain ends at a share of nothing.
TEST_F(QueueModelOfOneVirtualChannel, ADrainEndsWithTheLastWrite) {
  hardware_.dram.write_low = 0;
  add_columns(0, 1 << 23, 64, 8, 8);
  add(0, Unit::kLoad, load(0, 64, 8, 2048));
  EXPECT_NEAR(predicted() / simulated(), 1, 0.1);
}

// Its DRAM takes a column command a clock, of which each keeps the data bus for two.
class QueueModelOfShortColumnDelays : public QueueModel {
 protected:
  QueueModelOfShortColumnDelays() : QueueModel("tpu_v4_like.yaml") {}
};

TEST_F(QueueModelOfShortColumnDelays, TheDataBusCarriesOneBurstAtATime) {
  ASSERT_LT(hardware_.dram.timing.CCD_S, hardware_.dram.timing.burst);
  for (int core = 0; core < 4; ++core) add(core, Unit::kLoad, load(core << 20, 1, 1 << 20, 1 << 20));
  EXPECT_NEAR(predicted() / simulated(), 1, 0.05);
}

// Four clusters at routers 0 to 3 of a ring of eight, all channels at router 5.
class QueueModelOfARing : public QueueModel {
 protected:
  QueueModelOfARing() : QueueModel(resolve(ring())) {}
  static HardwareConfig ring() {
    HardwareConfig config = config_of("quad_smp.yaml");
    config.network.topology = Topology::kRing;
    config.network.routers = 8;
    config.network.channels_per_router = 8;
    config.network.cluster_routers = std::vector<std::int64_t>{0, 1, 2, 3};
    config.network.channel_routers = std::vector<std::int64_t>(8, 5);
    return config;
  }
  void load_into(int core) { add(core, Unit::kLoad, load(core << 15, 1, 1 << 17, 1 << 17)); }
};

TEST_F(QueueModelOfARing, ClustersOnOneSideShareItsLinks) {
  load_into(8);
  const double alone = predicted();
  load_into(12);
  EXPECT_NEAR(predicted() / alone, 2, 0.1);
  EXPECT_NEAR(predicted() / simulated(), 1, 0.05);
  clear();
  load_into(8);
  load_into(0);
  EXPECT_NEAR(predicted() / alone, 1, 0.1);
}

class QueueModelWithCache : public QueueModel {
 protected:
  QueueModelWithCache() : QueueModel("dual_cluster_cache.yaml") {}
};

TEST_F(QueueModelWithCache, WhatTwoCoresReadComesFromMemoryOnce) {
  const Bytes bytes = 1 << 17;
  const auto both = [&](bool cached) {
    clear();
    for (const int core : {0, 1}) add(core, Unit::kLoad, load(0, 1, bytes, bytes, cached));
    return predicted();
  };
  const double without = both(false), with = both(true);
  EXPECT_NEAR(without / with, 2, 0.2);
  EXPECT_NEAR(with / simulated(), 1, 0.05);
}

// Of four clusters.
void set_topology(NetworkConfig& network, const std::string& topology) {
  for (const auto& [name, value] : choices(Topology{}))
    if (name == topology) network.topology = value;
  if (topology == "mesh" || topology == "torus") network.columns = network.rows = 2;
  if (topology == "ring") network.routers = 4;
  const bool places_channels = topology != "smp" && topology != "crossbar" && topology != "simple";
  if (!places_channels) network.channels_per_router.reset();
  if (places_channels && !network.channels_per_router) network.channels_per_router = 8;
}

class QueueModelOfMulticast : public QueueModel, public testing::WithParamInterface<Closeness> {
 protected:
  QueueModelOfMulticast() : QueueModel(resolve(copying(GetParam().chip))) {}
  static HardwareConfig copying(const std::string& topology) {
    HardwareConfig config = config_of("quad_smp.yaml");
    config.network.multicast = 256;
    set_topology(config.network, topology);
    return config;
  }
  // A core of each cluster, behind a barrier.
  void load_together(const Transfer& move) {
    for (const int core : {0, 4, 8, 12}) {
      add(core, Unit::kLoad, Barrier{0, 4});
      add(core, Unit::kLoad, move);
    }
  }
};

// Four clusters want what one channel gives; with one access for all, four times as fast.
TEST_P(QueueModelOfMulticast, OneAnswerServesTheClustersThatAskTogether) {
  const Bytes chunk = hardware_.dram.interleave_bytes, pitch = chunk * hardware_.dram.channels;
  load_together(load(0, 512, chunk, pitch));
  const double copied = predicted();
  EXPECT_NEAR(copied / simulated(), 1, GetParam().error);
  hardware_.network.multicast = 0;
  EXPECT_GT(predicted() / copied, 2);
}

TEST_P(QueueModelOfMulticast, ComesCloseToTheSimulatedChip) {
  const std::string root = TILEWRIGHT_SOURCE_DIR;
  program_ =
      make_plan(import_workload(root + "/traces/two_blocks.yaml"), hardware_, {.group = Grouping::kNone}).program;
  EXPECT_NEAR(predicted() / simulated(), 1, GetParam().error);
}

// Where a channel is nearer to some clusters than to others, the model has fewer of them find each other's answers: up
// to twice the bytes of DRAM.
TEST_P(QueueModelOfMulticast, CountsWhatPassesRoutersAndDram) {
  const bool equally_far = std::set<std::string>{"smp", "crossbar", "simple"}.contains(GetParam().chip);
  load_together(load(0, 1, 1 << 18, 1 << 18));
  Session session(hardware_);
  const RunResult result = session.run(program_);
  const EventCounts predicted = queue_model_run(hardware_, program_).events;
  for (const Event event : {Event::kFlitHop, Event::kDramReadBytes}) {
    double simulated = 0;
    for (const OperatorResult& op : result.operators)
      simulated += static_cast<double>(op.events[static_cast<int>(event)]);
    EXPECT_NEAR(static_cast<double>(predicted[static_cast<int>(event)]) / simulated, 1, equally_far ? 0.05 : 1.5)
        << info_of(event).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Topologies, QueueModelOfMulticast,
                         testing::Values(Closeness{"smp", 0.05}, Closeness{"numa", 0.1}, Closeness{"mesh", 0.15},
                                         Closeness{"torus", 0.2}, Closeness{"ring", 0.25}, Closeness{"crossbar", 0.1},
                                         Closeness{"simple", 0.05}),
                         [](const auto& info) { return std::string(info.param.chip); });

// Reads of what lies in all clusters' memories, added up on the way.
class QueueModelOfSums : public QueueModel, public testing::WithParamInterface<Closeness> {
 protected:
  QueueModelOfSums() : QueueModel(resolve(adding(GetParam().chip))) {}
  static HardwareConfig adding(const std::string& topology) {
    HardwareConfig config = config_of("quad_numa_cache.yaml");
    config.network.multicast = 256;
    config.network.reduction = 8;
    config.network.router.buffer_flits = 20;
    set_topology(config.network, topology);
    return config;
  }
  // Of `cores`, each its own 32 KiB.
  void add_up(const std::vector<int>& cores) {
    for (const int core : cores) {
      Transfer sum = load(0, 1, 1 << 15, 1 << 15);
      sum.type = DataType::kFp32;
      sum.shape[kBoxDims - 1] = (1 << 15) / 4;
      sum.source = {Space::kCluster, static_cast<Address>(core) << 15, {0, 0, 0, 0, 4}, 0};
      sum.target.stride[kBoxDims - 1] = 4;
      sum.summed.count[1] = 4, sum.summed.step[1] = 1;
      add(core, Unit::kLoad, sum);
    }
  }
};

TEST_P(QueueModelOfSums, OfOneCoreComeCloseToTheSimulatedChip) {
  add_up({5});
  EXPECT_NEAR(predicted() / simulated(), 1, GetParam().error);
}

TEST_P(QueueModelOfSums, OfAClusterComeCloseToTheSimulatedChip) {
  add_up({4, 5, 6, 7});
  EXPECT_NEAR(predicted() / simulated(), 1, GetParam().error);
}

// They wait for each other's flits in the same routers.
TEST_P(QueueModelOfSums, OfAllClustersComeCloseToTheSimulatedChip) {
  add_up({0, 5, 10, 15});
  EXPECT_NEAR(predicted() / simulated(), 1, 2 * GetParam().error);
}

TEST_P(QueueModelOfSums, CountsWhatIsAdded) {
  add_up({5});
  const EventCounts events = queue_model_run(hardware_, program_).events;
  EXPECT_EQ(events[static_cast<int>(Event::kNetworkAdd)], 3 * (1 << 15) / 4);
}

INSTANTIATE_TEST_SUITE_P(Topologies, QueueModelOfSums,
                         testing::Values(Closeness{"smp", 0.05}, Closeness{"numa", 0.05}, Closeness{"mesh", 0.05},
                                         Closeness{"torus", 0.05}, Closeness{"ring", 0.05},
                                         Closeness{"crossbar", 0.05}),
                         [](const auto& info) { return std::string(info.param.chip); });

// Streams of four cores that meet in the same banks: which order they come in, and the commands that this costs.
class QueueModelOfASharedCommandBus : public QueueModel {
 protected:
  QueueModelOfASharedCommandBus() : QueueModel("tpu_v4_like_simple.yaml") {
    for (int core = 0; core < 4; ++core) add(core, Unit::kLoad, load(core << 20, 1, 1 << 20, 1 << 20));
  }
};

TEST_F(QueueModelOfASharedCommandBus, ComesCloseToTheSimulatedChip) { EXPECT_NEAR(predicted() / simulated(), 1, 0.03); }

TEST_F(QueueModelOfASharedCommandBus, RowsThatAreOpenedTakeItsTime) {
  const double shared = predicted();
  hardware_.dram.shared_command_bus = false;
  EXPECT_GT(shared / predicted(), 1.02);
}

class QueueModelOfFewPlaces : public QueueModel {
 protected:
  QueueModelOfFewPlaces() : QueueModel(chip(4)) {
    for (int core = 0; core < 16; ++core) add(core, Unit::kLoad, load(core << 18, 1, 1 << 17, 1 << 17));
  }
  static Hardware chip(int places) {
    HardwareConfig config = config_of("quad_smp.yaml");
    config.network.memory_port.places = places;
    return resolve(config);
  }
};

TEST_F(QueueModelOfFewPlaces, ComesCloseToTheSimulatedChip) { EXPECT_NEAR(predicted() / simulated(), 1, 0.05); }

// A channel gives what its places hold once per latency, which is shorter where fewer wait.
TEST_F(QueueModelOfFewPlaces, HalfAsManyTakeUpToTwiceAsLong) {
  const double four = predicted();
  hardware_ = chip(2);
  EXPECT_GT(predicted() / four, 1.5);
  EXPECT_LT(predicted() / four, 2);
}

class QueueModelOfManyClusters : public QueueModel {
 protected:
  QueueModelOfManyClusters() : QueueModel(resolve(copying())) {}
  static HardwareConfig copying() {
    HardwareConfig config = config_of("quad_smp.yaml");
    config.clusters = 1024;
    config.cores_per_cluster = 2;
    config.network.topology = Topology::kSimple;
    config.network.multicast = 1 << 20;
    return config;
  }
};

// All who answer remember more reads together than 32 bits count.
TEST_F(QueueModelOfManyClusters, JoinReadsHoweverManyAreRemembered) {
  for (const int core : {0, 2, 4, 6}) {
    add(core, Unit::kLoad, Barrier{0, 4});
    add(core, Unit::kLoad, load(0, 1, 1 << 18, 1 << 18));
  }
  const auto read = queue_model_run(hardware_, program_).events[static_cast<int>(Event::kDramReadBytes)];
  EXPECT_LT(read, 2 << 18);
}

class QueueModelOnARing : public QueueModel {
 protected:
  QueueModelOnARing() : QueueModel(resolve(ring())) {}
  // Memory on one half of it.
  static HardwareConfig ring() {
    HardwareConfig config = config_of("quad_smp.yaml");
    config.clusters = 16;
    config.cores_per_cluster = 1;
    config.network.topology = Topology::kRing;
    config.network.routers = 16;
    config.network.channels_per_router = 1;
    config.network.ports_per_cluster = 1;
    return config;
  }
};

// What waits in the buffers of routers holds up what comes behind it.
TEST_F(QueueModelOnARing, FullBuffersHoldUpWhatComesBehind) {
  const Bytes bytes = 1 << 15;
  for (int core = 0; core < hardware_.cores(); ++core)
    for (int i = 0; i < 4; ++i) add(core, Unit::kLoad, load((core * 4 + i) * bytes, 1, bytes, bytes));
  const double taken = simulated();
  EXPECT_NEAR(predicted() / taken, 1, 0.15);
  EXPECT_LT(queue_model_run(hardware_, program_, RouterBuffers::kUnlimited).cycles / taken, 0.8);
}

TEST_F(QueueModel, GivesUpAProgramThatTakesLonger) {
  const Bytes chunk = hardware_.dram.interleave_bytes, pitch = chunk * hardware_.dram.channels;
  add(0, Unit::kLoad, load(0, 1024, chunk, pitch));
  const QueueModelRun whole = queue_model_run(hardware_, program_);
  ASSERT_TRUE(whole.finished);
  for (const double share : {1.0, 1.5}) {
    const QueueModelRun same = queue_model_run(hardware_, program_, RouterBuffers::kLimited, share * whole.cycles);
    EXPECT_TRUE(same.finished);
    EXPECT_EQ(same.cycles, whole.cycles);
    EXPECT_EQ(same.events, whole.events);
  }
  for (const double share : {0.0, 0.5, 0.9}) {
    const double most = share * whole.cycles;
    const QueueModelRun part = queue_model_run(hardware_, program_, RouterBuffers::kLimited, most);
    EXPECT_FALSE(part.finished);
    EXPECT_EQ(part.cycles, most);
    const auto read = [](const QueueModelRun& run) { return run.events[static_cast<int>(Event::kDramReadBytes)]; };
    EXPECT_LT(read(part), read(whole));
  }
}

// Whatever a core's units and what memory has to move leave no room for.
TEST_F(QueueModel, GivesUpAProgramThatCannotEndInTimeLongBefore) {
  const Bytes bytes = 1 << 15;
  for (int i = 0; i < 32; ++i) add(0, Unit::kLoad, load(i * bytes, 1, bytes, bytes));
  const QueueModelRun whole = queue_model_run(hardware_, program_);
  const auto read = [](const QueueModelRun& run) { return run.events[static_cast<int>(Event::kDramReadBytes)]; };
  const auto up_to = [&](double share) {
    return queue_model_run(hardware_, program_, RouterBuffers::kLimited, share * whole.cycles);
  };
  EXPECT_FALSE(up_to(0.5).finished);
  EXPECT_EQ(read(up_to(0.5)), 0);  // its ports do not carry so much in that time
  EXPECT_FALSE(up_to(0.99).finished);
  EXPECT_TRUE(up_to(1).finished);
  EXPECT_EQ(up_to(1).cycles, whole.cycles);
}

TEST_F(QueueModel, GivesUpAProgramWhoseUnitIsBusyLonger) {
  Matmul product;
  product.m = product.n = product.k = {1, 1, 64};
  product.a = {Space::kBufferA, 0, {0, 0, 128}, {0, 0, 2}};
  product.b = {Space::kBufferB, 0, {0, 0, 128}, {0, 0, 2}};
  product.c = {Space::kAccumulator, 0, {0, 0, 256}, {0, 0, 4}};
  for (int i = 0; i < 64; ++i) add(3, Unit::kMatmul, product);
  const QueueModelRun whole = queue_model_run(hardware_, program_);
  const auto macs = [&](double share) {
    const QueueModelRun run = queue_model_run(hardware_, program_, RouterBuffers::kLimited, share * whole.cycles);
    EXPECT_EQ(run.finished, share >= 1);
    return run.events[static_cast<int>(Event::kMacFp16)];
  };
  EXPECT_EQ(macs(0.9), 0);
  EXPECT_EQ(macs(1), 64 * 64 * 64 * 64);
}

// On every network and memory that a chip can have. Queues come close where the memory keeps up; the 512 requests that
// a core of tpu_v4_like has in flight fill the queues of DRAM, whose commands the model leaves out.
class QueueModelOfAPlan : public testing::TestWithParam<Closeness> {};

TEST_P(QueueModelOfAPlan, ComesCloseToTheSimulatedChip) {
  const std::string root = TILEWRIGHT_SOURCE_DIR;
  const Hardware hardware = load_hardware(root + "/hw_configs/" + GetParam().chip + ".yaml");
  const Plan plan = make_plan(import_workload(root + "/traces/two_blocks.yaml"), hardware, {.group = Grouping::kNone});
  Session session(hardware);
  const double simulated =
      static_cast<double>(session.run(plan.program).time) / static_cast<double>(hardware.core_clock.period_ps);
  EXPECT_NEAR(queue_model_cycles(hardware, plan.program) / simulated, 1, GetParam().error);
}

// What does not depend on the order in which requests are served is counted alike; rows opened and refreshes (one of
// each pseudo channel, around the end), nearly.
TEST_P(QueueModelOfAPlan, CountsTheEventsThatCostEnergy) {
  const std::string root = TILEWRIGHT_SOURCE_DIR;
  const Hardware hardware = load_hardware(root + "/hw_configs/" + GetParam().chip + ".yaml");
  const Plan plan = make_plan(import_workload(root + "/traces/two_blocks.yaml"), hardware, {.group = Grouping::kNone});
  Session session(hardware);
  const RunResult result = session.run(plan.program);
  EventCounts simulated{};
  for (const OperatorResult& op : result.operators)
    for (int event = 0; event < kEventCount; ++event) simulated[event] += op.events[event];
  const EventCounts predicted = queue_model_run(hardware, plan.program).events;
  for (int event = 0; event < kEventCount; ++event) {
    const auto found = static_cast<double>(simulated[event]);
    double most = 0.02 * found;  // caches of cores that run a little apart, signals
    if (static_cast<Event>(event) == Event::kDramActivate) most = 0.3 * found;
    if (static_cast<Event>(event) == Event::kDramRefresh) most = hardware.dram.channels * hardware.dram.pseudo_channels;
    EXPECT_NEAR(static_cast<double>(predicted[event]), found, most) << info_of(static_cast<Event>(event)).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, QueueModelOfAPlan,
                         testing::Values(Closeness{"dual_cluster", 0.05}, Closeness{"dual_cluster_cache", 0.15},
                                         Closeness{"edge_single", 0.05}, Closeness{"quad_numa", 0.15},
                                         Closeness{"quad_numa_cache", 0.15}, Closeness{"quad_smp", 0.05},
                                         Closeness{"quad_smp_cache", 0.1}, Closeness{"tpu_v4_like", 0.2},
                                         Closeness{"tpu_v4_like_simple", 0.05}),
                         [](const auto& info) { return std::string(info.param.chip); });

}  // namespace
}  // namespace tilewright
