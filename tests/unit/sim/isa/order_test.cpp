// Tokens, synchronisation and races: the legal program, and the same with one tie cut.
#include <gmock/gmock.h>

#include "tests/unit/sim/isa/isa_support.h"

namespace tilewright {
namespace {

using testing::HasSubstr;

const std::string kSync = "barrier id=9 of=1 unit=";

TEST(Tokens, PostedBeforeTheyAreWaitedFor) {
  EXPECT_EQ(core_fault(kSync + "load post t1\n" + kSync + "matmul wait t1\n"), "");
  EXPECT_THAT(core_fault(kSync + "matmul wait t1\n" + kSync + "load post t1\n"), HasSubstr("t1 is waited for before"));
}

TEST(Tokens, AllAreTaken) {
  EXPECT_EQ(core_fault(kSync + "load post t1,t1\n" + kSync + "load wait t1,t1\n"), "");
  EXPECT_THAT(core_fault(kSync + "load post t1,t1\n" + kSync + "load wait t1\n"), HasSubstr("t1 is left over"));
}

TEST(Tokens, OneProducerAndOneConsumer) {
  EXPECT_THAT(core_fault(kSync + "load post t1\n" + kSync + "store post t1\n" + kSync + "load wait t1,t1\n"),
              HasSubstr("t1 is posted by the load stream and by the store stream"));
  EXPECT_THAT(core_fault(kSync + "load post t1,t1\n" + kSync + "store wait t1\n" + kSync + "load wait t1\n"),
              HasSubstr("t1 is waited for by the store stream and by the load stream"));
}

std::string two(const std::string& first, const std::string& second) {
  return fault_of(program_of("core 0 fetch @0x10000\n" + first + "core 1 fetch @0x10000\n" + second));
}

TEST(Synchronisation, SignalsReachTheirWait) {
  EXPECT_EQ(two("signal core=1 flag=3 unit=load\n", "wait flag=3 count=1 unit=load\n"), "");
  EXPECT_THAT(two("signal core=1 flag=3 unit=load\n", "wait flag=3 count=2 unit=load\n"),
              HasSubstr("core 1 waits at instruction 0 for flag 3 (1 of 2 signals)"));
  EXPECT_THAT(
      two("signal core=1 flag=3 unit=load\nsignal core=1 flag=3 unit=load\n", "wait flag=3 count=1 unit=load\n"),
      HasSubstr("flag 3 of core 1 is left over"));
}

TEST(Synchronisation, CircleIsALockUp) {
  EXPECT_THAT(two("wait flag=0 count=1 unit=load\nsignal core=1 flag=0 unit=load\n",
                  "wait flag=0 count=1 unit=load\nsignal core=0 flag=0 unit=load\n"),
              HasSubstr("the cores lock up: core 0 waits at instruction 0 for flag 0 (0 of 1 signals); core 1"));
}

TEST(Synchronisation, OneStreamWaitsForAFlag) {
  EXPECT_THAT(two("signal core=1 flag=3 unit=load\nsignal core=1 flag=3 unit=load\n",
                  "wait flag=3 count=1 unit=load\nwait flag=3 count=1 unit=store\n"),
              HasSubstr("flag 3 is waited for by the load stream and by the store stream"));
}

TEST(Synchronisation, SignalToACoreWithoutProgram) {
  EXPECT_THAT(core_fault("signal core=2 flag=0 unit=load\n"), HasSubstr("which has no program"));
}

TEST(Synchronisation, Barriers) {
  EXPECT_EQ(two("barrier id=1 of=2 unit=load\n", "barrier id=1 of=2 unit=load\n"), "");
  EXPECT_THAT(two("barrier id=1 of=2 unit=load\n", "barrier id=2 of=2 unit=load\n"),
              HasSubstr("core 0 waits at instruction 0 in barrier 1 (1 of 2 cores)"));
  EXPECT_THAT(two("barrier id=1 of=2 unit=load\n", "barrier id=1 of=1 unit=load\n"),
              HasSubstr("barrier 1 has 1 participants here and 2 on core 0"));
}

const std::string kLoadA = "load bf16 [64] dram@0x1000(2) -> a@0(2) ";
const std::string kLoadB = "load bf16 [64] dram@0x2000(2) -> b@0(2) ";
const std::string kMatmul = "matmul bf16 m=[8] n=[8] k=[8] a@0(16;2) b@0(16;2) -> acc@0(32;4) ";
const std::string kStore = "store fp32 [64] acc@0(4) -> dram@0x4000(4) ";

TEST(Races, TokensOrderAnOperatorOfOneCore) {
  EXPECT_EQ(core_fault(kLoadA + "\n" + kLoadB + "post t1\n" + kMatmul + "wait t1 post t2\n" + kStore + "wait t2\n"),
            "");
}

TEST(Races, ReadWithoutToken) {
  EXPECT_THAT(core_fault(kLoadA + "post t1\n" + kLoadB + "\n" + kMatmul + "wait t1\n"),
              HasSubstr("its b in b races with core 0, instruction 1 'load bf16 [64] dram@0x2000(2) -> b@0(2)'"));
  EXPECT_THAT(core_fault(kMatmul + "\n" + kStore + "\n"), HasSubstr("its source in acc races"));
}

TEST(Races, OverwritingBeforeItIsRead) {
  const std::string begin = kLoadA + "\n" + kLoadB + "post t1\n" + kMatmul + "wait t1 post t3\n";
  EXPECT_EQ(core_fault(begin + kLoadA + "wait t3\n"), "");
  EXPECT_THAT(core_fault(kLoadA + "\n" + kLoadB + "post t1\n" + kMatmul + "wait t1\n" + kLoadA + "\n"),
              HasSubstr("its target in a races with core 0, instruction 2 'matmul"));
}

TEST(Races, InPlaceIsNoRaceWithItself) {
  EXPECT_EQ(core_fault("vector relu [64] acc@0:fp32(4) -> acc@0:bf16(2)\n"), "");
}

// Double buffering with one token for two halves: the n-th wait takes the n-th post.
TEST(Races, TokensAreTakenInTheOrderOfPosting) {
  const std::string other = "load bf16 [64] dram@0x1000(2) -> a@128(2) ";
  const std::string use_other = "matmul bf16 m=[8] n=[1] k=[8] a@128(16;2) b@0(2;2) -> acc@0(4;4) ";
  const std::string use_first = "matmul bf16 m=[8] n=[1] k=[8] a@0(16;2) b@0(2;2) -> acc@0(4;4) ";
  EXPECT_EQ(core_fault(kLoadB + "\n" + kLoadA + "post t1\n" + other + "post t1\n" + use_first + "wait t1\n" +
                       use_other + "wait t1\n"),
            "");
  EXPECT_THAT(core_fault(kLoadB + "\n" + kLoadA + "post t1\n" + other + "post t1\n" + use_other + "wait t1\n" +
                         use_first + "wait t1\n"),
              HasSubstr("its a in a races with core 0, instruction 2"));
}

// The bytes are those from the lower end on, whichever way they are walked.
TEST(Races, BackwardsTouchesTheSameBytes) {
  const std::string load = "load bf16 [64] dram@0x1000(2) -> a@0(2)\n";
  EXPECT_THAT(core_fault(load + "store bf16 [64] a@190(-2) -> dram@0x4000(2)\n"), HasSubstr("its source in a races"));
  EXPECT_EQ(core_fault(load + "store bf16 [32] a@190(-2) -> dram@0x4000(2)\n"), "");
}

TEST(Races, LoadsDoNotRaceWithLoads) {
  const std::string load = "load bf16 [64] dram@0x3000(2) -> a@0(2)\n";
  EXPECT_EQ(two(load, load), "");
}

TEST(Races, ColumnTilesOfOneTensorInterleave) {
  const auto tile = [](int address) {
    return "store bf16 [8,16] a@0(32,2) -> dram@" + std::to_string(address) + "(256,2)\n";
  };
  EXPECT_EQ(two(tile(0x3000), tile(0x3020)), "");
  EXPECT_THAT(two(tile(0x3000), tile(0x301e)), HasSubstr("its target in dram races with core 0, instruction 0"));
}

const std::string kWriteH = "store bf16 [64] a@0(2) -> dram@0x3000(2) ";
const std::string kReadH = "load bf16 [64] dram@0x3000(2) -> a@0(2) ";

TEST(Races, SignalOrdersCores) {
  const std::string signal = "signal core=1 flag=0 unit=store\n", wait = "wait flag=0 count=1 unit=load\n";
  EXPECT_EQ(two(kWriteH + "\n" + signal, wait + kReadH + "\n"), "");
  EXPECT_THAT(two(signal + kWriteH + "\n", wait + kReadH + "\n"), HasSubstr("races with core 0, instruction 1"));
  EXPECT_THAT(two(kWriteH + "\n" + signal, kReadH + "\n" + wait), HasSubstr("nothing orders"));
}

TEST(Races, SignalOfAnotherStreamNeedsAToken) {
  const std::string wait = "wait flag=0 count=1 unit=load\n";
  EXPECT_THAT(two(kWriteH + "\nsignal core=1 flag=0 unit=load\n", wait + kReadH + "\n"), HasSubstr("nothing orders"));
  EXPECT_EQ(two(kWriteH + "post t1\nsignal core=1 flag=0 unit=load wait t1\n", wait + kReadH + "\n"), "");
}

TEST(Races, KnowledgeTravelsThroughTokensAndCores) {
  const std::string three = "core 0 fetch @0x10000\n" + kWriteH + "\nsignal core=1 flag=0 unit=store\n" +
                            "core 1 fetch @0x10000\nwait flag=0 count=1 unit=load post t1\n";
  const std::string last = "core 2 fetch @0x10000\nwait flag=5 count=1 unit=store post t7\n" + kReadH + "wait t7\n";
  EXPECT_EQ(fault_of(program_of(three + "signal core=2 flag=5 unit=vector wait t1\n" + last)), "");
  const std::string cut = "barrier id=0 of=1 unit=vector wait t1\nsignal core=2 flag=5 unit=matmul\n";
  EXPECT_THAT(fault_of(program_of(three + cut + last)), HasSubstr("races with core 0, instruction 0"));
}

TEST(Races, StreamsOfOneCoreMayBeOrderedByAnother) {
  const std::string there = kLoadA + "\nsignal core=1 flag=0 unit=load\n";
  const std::string back = "wait flag=1 count=1 unit=store\nstore bf16 [64] a@0(2) -> dram@0x3000(2)\n";
  const std::string answer = "wait flag=0 count=1 unit=matmul\nsignal core=0 flag=1 unit=matmul\n";
  EXPECT_EQ(two(there + back, answer), "");
  const std::string blind = "wait flag=0 count=1 unit=matmul\nsignal core=0 flag=1 unit=vector\n";
  EXPECT_THAT(two(there + back, blind), HasSubstr("nothing orders"));
}

TEST(Races, BarrierOrdersCores) {
  EXPECT_EQ(two(kWriteH + "\nbarrier id=0 of=2 unit=store\n", "barrier id=0 of=2 unit=load\n" + kReadH + "\n"), "");
  EXPECT_THAT(two(kWriteH + "\nbarrier id=0 of=2 unit=load\n", "barrier id=0 of=2 unit=load\n" + kReadH + "\n"),
              HasSubstr("nothing orders"));
}

TEST(Races, ClusterMemoryIsSharedInTheClusterOnly) {
  const std::string write = "store bf16 [64] a@0(2) -> cluster@0(2)\n";
  EXPECT_THAT(two(write, write), HasSubstr("its target in cluster races with core 0"));
  EXPECT_EQ(fault_of(program_of("core 0 fetch @0x10000\n" + write + "core 2 fetch @0x10000\n" + write)), "");
}

std::string three(const std::string& first, const std::string& second, const std::string& third) {
  return fault_of(program_of("core 0 fetch @0x10000\n" + first + "core 1 fetch @0x10000\n" + second +
                             "core 2 fetch @0x10000\n" + third));
}

// Which of two producers a wait for one signal heard is not known; a wait for both knows.
TEST(Races, SharedFlagProvesOnlyWhatItMust) {
  const std::string signal = "signal core=2 flag=0 unit=store\n", wait = "wait flag=0 count=1 unit=load\n";
  EXPECT_EQ(three(kWriteH + "\n" + signal, signal, "wait flag=0 count=2 unit=load\n" + kReadH + "\n"), "");
  EXPECT_EQ(three(kWriteH + "\n" + signal, signal, wait + wait + kReadH + "\n"), "");
  EXPECT_THAT(three(kWriteH + "\n" + signal, signal, wait + kReadH + "\n" + wait), HasSubstr("nothing orders"));
}

// Core 1's signal is only known to come second when core 2 asks for it after its first wait.
TEST(Races, SharedFlagWithALateProducer) {
  const std::string signal = "signal core=2 flag=0 unit=store\n", wait = "wait flag=0 count=1 unit=load\n";
  const std::string late = "wait flag=1 count=1 unit=store\n" + signal;
  const std::string ask = "signal core=1 flag=1 unit=load\n";
  EXPECT_EQ(three(kWriteH + "\n" + signal, late, wait + kReadH + "\n" + ask + wait), "");
  EXPECT_THAT(three(kWriteH + "\n" + signal, late, ask + wait + kReadH + "\n" + wait), HasSubstr("several producers"));
}

TEST(Races, FarApartInTheListStillFound) {
  std::string lines = kWriteH + "\n";
  for (int i = 1; i < 30; ++i) {
    lines += "store bf16 [64] a@0(2) -> dram@" + std::to_string(0x3000 + 128 * i) + "(2)\n";
  }
  EXPECT_THAT(two(lines, kReadH + "\n"), HasSubstr("races with core 0, instruction 0"));
  EXPECT_EQ(two(lines, "load bf16 [64] dram@0x3f80(2) -> a@0(2)\n"), "");
}

}  // namespace
}  // namespace tilewright
