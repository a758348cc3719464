#include "sim/machine/memory/cluster_cache.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

constexpr Bytes kLine = 128;
constexpr Cycles kLatency = 12;

class ClusterCacheTest : public testing::Test {
 protected:
  ClusterCacheTest() {
    meter_.reset(1);
    for (Client& client : clients_) cache_.attach(client);
    program_.segments = {{"in", SegmentKind::kInput, DataType::kInt8, 0, 1 << 16},
                         {"hidden", SegmentKind::kHidden, DataType::kInt8, 1 << 16, 1 << 16}};
    cache_.reset(program_);
  }
  static Hardware hardware() {
    Hardware hardware = small_hardware();
    hardware.cores_per_cluster = 2;
    ClusterMemorySpec& memory = hardware.cluster_memory.emplace();
    memory.capacity = 64 * kLine;
    memory.ways = 4;
    memory.banks = 4;
    memory.mshrs = 2;
    memory.latency_cycles = kLatency;
    memory.bank_bytes_per_cycle = 64;
    return hardware;
  }
  static MemoryRequest request(Address line, int core = 0) {
    MemoryRequest request;
    request.address = line * kLine;
    request.bytes = kLine;
    request.cached = true;
    request.core = static_cast<std::uint16_t>(core);
    return request;
  }
  void fill(std::size_t index, Cycles now) { cache_.memory_done(memory_.asked[index].request, now * kPeriod); }
  void run_until(Cycles end) { tilewright::run_until(cache_, alarm_, end * kPeriod); }
  double statistic(const char* name) {
    Statistics statistics;
    cache_.add_statistics("cluster0", {0, 1'000'000 * kPeriod}, statistics);
    return statistics.at(std::string("cluster0.") + name);
  }

  const Hardware hardware_ = hardware();
  Memory memory_;
  EventMeter meter_;
  Alarm alarm_;
  ClusterCache cache_{hardware_, 0, memory_, meter_, alarm_};
  std::array<Client, 2> clients_;
  Program program_;
};

TEST_F(ClusterCacheTest, AHitTakesItsBankAndTheLatency) {
  cache_.cached_read(request(3), 0);
  ASSERT_EQ(memory_.asked.size(), 1u);
  EXPECT_EQ(memory_.asked[0].request.bytes, kLine);
  fill(0, 100);
  run_until(100 + 2 + kLatency - 1);
  EXPECT_TRUE(clients_[0].answers.empty());
  run_until(100 + 2 + kLatency);
  ASSERT_EQ(clients_[0].answers.size(), 1u);
  cache_.cached_read(request(3), 200 * kPeriod);
  run_until(1000);
  EXPECT_EQ(memory_.asked.size(), 1u);
  EXPECT_EQ(clients_[0].answers.at(1).time, (200 + 2 + kLatency) * kPeriod);
  EXPECT_EQ(statistic("hits"), 1);
}

TEST_F(ClusterCacheTest, LinesOfOneBankFollowEachOtherThoseOfTwoDoNot) {
  for (const Address line : {0, 1, 4}) cache_.memory_request(request(line), 0);
  run_until(1000);
  ASSERT_EQ(clients_[0].answers.size(), 3u);
  EXPECT_EQ(clients_[0].answers[0].time, (2 + kLatency) * kPeriod);
  EXPECT_EQ(clients_[0].answers[1].time, (2 + kLatency) * kPeriod) << "bank 1";
  EXPECT_EQ(clients_[0].answers[2].time, (4 + kLatency) * kPeriod) << "bank 0 again";
}

TEST_F(ClusterCacheTest, AMissOnALineUnderWayJoinsIt) {
  cache_.cached_read(request(3, 0), 0);
  cache_.cached_read(request(3, 1), 5 * kPeriod);
  EXPECT_EQ(memory_.asked.size(), 1u);
  fill(0, 100);
  run_until(1000);
  EXPECT_EQ(clients_[0].answers.size(), 1u);
  EXPECT_EQ(clients_[1].answers.size(), 1u);
  EXPECT_EQ(statistic("merged"), 1);
}

TEST_F(ClusterCacheTest, AsManyMissesAsRegistersAndNotOneMore) {
  for (Address line = 0; line < 4; ++line) cache_.cached_read(request(line), 0);
  EXPECT_EQ(memory_.asked.size(), 2u);
  EXPECT_EQ(cache_.waiting_for(), "4 requests not answered, 2 lines wait for a miss register");
  fill(1, 50);
  EXPECT_EQ(memory_.asked.size(), 3u);
  EXPECT_EQ(memory_.asked[2].time, 50 * kPeriod);
}

TEST_F(ClusterCacheTest, AfterABarrierWrittenLinesAreFetchedAgainConstantOnesAreNot) {
  const Address constant = 0, written = (1 << 16) / kLine;
  for (const Address line : {constant, written}) cache_.cached_read(request(line), 0);
  fill(0, 10);
  fill(1, 10);
  cache_.barrier_opened();
  for (const Address line : {constant, written}) cache_.cached_read(request(line), 100 * kPeriod);
  ASSERT_EQ(memory_.asked.size(), 3u);
  EXPECT_EQ(memory_.asked[2].request.address, written * kLine);
}

TEST_F(ClusterCacheTest, ALineAskedForBeforeABarrierIsNotKept) {
  const Address written = (1 << 16) / kLine;
  cache_.cached_read(request(written), 0);
  cache_.barrier_opened();
  fill(0, 10);
  run_until(100);
  EXPECT_EQ(clients_[0].answers.size(), 1u);
  cache_.cached_read(request(written), 200 * kPeriod);
  EXPECT_EQ(memory_.asked.size(), 2u);
}

TEST_F(ClusterCacheTest, AWriteDropsTheLine) {
  cache_.cached_read(request(3), 0);
  fill(0, 10);
  MemoryRequest write = request(3);
  write.write = true;
  cache_.written(write);
  cache_.cached_read(request(3), 100 * kPeriod);
  EXPECT_EQ(memory_.asked.size(), 2u);
}

}  // namespace
}  // namespace tilewright
