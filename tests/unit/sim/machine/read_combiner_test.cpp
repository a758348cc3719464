#include "sim/machine/memory/read_combiner.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/machine/mocks.h"

namespace tilewright {
namespace {

MemoryRequest read_of(Address address, int bytes, int core) {
  MemoryRequest request;
  request.address = address;
  request.bytes = bytes;
  request.core = static_cast<std::uint16_t>(core);
  request.tag = 40 + static_cast<std::uint32_t>(core);
  return request;
}

class ReadCombinerTest : public testing::Test {
 protected:
  void ask(const MemoryRequest& request, Client& client) { combiner_.send(request, client, 10); }
  void answer(std::size_t index) { combiner_.memory_done(memory_.asked.at(index).request, 500); }
  double combined(const std::string& what) const {
    Statistics statistics;
    combiner_.add_statistics("cluster0", {0, 1000}, statistics);
    return statistics.at("cluster0.combined_" + what);
  }

  Memory memory_;
  ReadCombiner combiner_{2, memory_};
  std::array<Client, 3> cores_;
};

TEST_F(ReadCombinerTest, OneAnswerServesAllCoresThatAskedMeanwhile) {
  for (int core = 0; core < 3; ++core) ask(read_of(4096, 256, core), cores_[core]);
  ASSERT_EQ(memory_.asked.size(), 1u);
  answer(0);
  for (int core = 0; core < 3; ++core) {
    ASSERT_EQ(cores_[core].answers.size(), 1u);
    EXPECT_EQ(cores_[core].answers[0].request.tag, 40u + core) << "each core's own mark";
    EXPECT_EQ(cores_[core].answers[0].time, 500);
  }
  EXPECT_EQ(combined("reads"), 2);
  EXPECT_EQ(combined("bytes"), 512);
}

TEST_F(ReadCombinerTest, WhatTheReadWaitedForIsToldToAllThatWaited) {
  for (int core = 0; core < 2; ++core) ask(read_of(0, 256, core), cores_[core]);
  MemoryRequest done = memory_.asked.at(0).request;
  done.delay = {.bus = 30, .row = 20, .latency = 100, .cluster = 0};
  combiner_.memory_done(done, 500);
  for (int core = 0; core < 2; ++core) EXPECT_EQ(cores_[core].answers.at(0).request.delay.known(), 150) << core;
}

TEST_F(ReadCombinerTest, NothingIsKeptBehindTheAnswer) {
  ask(read_of(0, 256, 0), cores_[0]);
  answer(0);
  ask(read_of(0, 256, 1), cores_[1]);
  EXPECT_EQ(memory_.asked.size(), 2u);
}

TEST_F(ReadCombinerTest, OtherBytesAndWritesGoByThemselves) {
  ask(read_of(0, 256, 0), cores_[0]);
  ask(read_of(0, 128, 1), cores_[1]);
  ask(read_of(128, 128, 2), cores_[2]);
  MemoryRequest write = read_of(0, 256, 1);
  write.write = true;
  ask(write, cores_[1]);
  ASSERT_EQ(memory_.asked.size(), 4u);
  EXPECT_EQ(memory_.asked[1].request.tag, 41u) << "unknown to the combiner: the address is taken";
  EXPECT_EQ(memory_.asked[3].request.tag, 41u);
  EXPECT_EQ(combined("reads"), 0);
}

TEST_F(ReadCombinerTest, JoinsAsManyReadsUnderWayAsItHasEntries) {
  for (int i = 0; i < 3; ++i) ask(read_of(i * 256, 256, 0), cores_[0]);
  ask(read_of(256, 256, 1), cores_[1]);
  EXPECT_EQ(memory_.asked.size(), 3u) << "the second of two entries";
  ask(read_of(512, 256, 1), cores_[1]);
  EXPECT_EQ(memory_.asked.size(), 4u) << "the third has none";
  combiner_.reset();
  ask(read_of(256, 256, 1), cores_[1]);
  EXPECT_EQ(memory_.asked.size(), 5u);
}

}  // namespace
}  // namespace tilewright
