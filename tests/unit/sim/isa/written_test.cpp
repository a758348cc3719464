// Reads of bytes that nothing wrote: the program that writes all it reads, and the same with one byte left out.
#include <gmock/gmock.h>

#include "tests/unit/sim/isa/isa_support.h"

namespace tilewright {
namespace {

using testing::HasSubstr;

// What verify_written says of a legal program; empty where every byte that it reads was written.
std::string unwritten(const std::string& cores) {
  const Program program = tilewright::program_of(cores);
  EXPECT_EQ(fault_of(program), "");
  try {
    verify_written(program, small_chip(), "test");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}
std::string unwritten_of_one(const std::string& lines) { return unwritten("core 0 fetch @0x10000\n" + lines); }

const std::string kInputA = "load bf16 [64] dram@0x1000(2) -> a@0(2) ";
const std::string kConstantB = "load bf16 [64] dram@0x2000(2) -> b@0(2) ";

std::string product(const std::string& accumulate) {
  return "matmul bf16 m=[8] n=[8] k=[8] a@0(16;2) b@0(16;2) -> acc@0(32;4) " + accumulate + "wait t1 post t2\n";
}

TEST(Written, InputsAndConstantsAreThereFromTheStart) {
  EXPECT_EQ(unwritten_of_one(kInputA + "\n" + kConstantB + "\n"), "");
  EXPECT_THAT(unwritten_of_one("load bf16 [64] dram@0x3000(2) -> a@0(2)\n"),
              HasSubstr("its source reads dram@0x3000, which nothing wrote before"));
}

TEST(Written, EveryByteThatAProductReads) {
  EXPECT_EQ(unwritten_of_one(kInputA + "\n" + kConstantB + "post t1\n" + product("") +
                             "store fp32 [64] acc@0(4) -> dram@0x4000(4) wait t2\n"),
            "");
  const std::string short_load = "load bf16 [63] dram@0x2000(2) -> b@0(2) post t1\n";
  EXPECT_THAT(unwritten_of_one(kInputA + "\n" + short_load + product("") + "barrier id=1 of=1 unit=store wait t2\n"),
              HasSubstr("core 0, instruction 2 'matmul"));
  EXPECT_THAT(unwritten_of_one(kInputA + "\n" + short_load + product("") + "barrier id=1 of=1 unit=store wait t2\n"),
              HasSubstr("its b reads b@0x7e, which nothing wrote before"));
}

TEST(Written, WhatIsAddedToIsRead) {
  const std::string begin = kInputA + "\n" + kConstantB + "post t1,t1\n";
  const std::string end = "barrier id=1 of=1 unit=store wait t2,t2\n";
  EXPECT_EQ(unwritten_of_one(begin + product("") + product("accumulate ") + end), "");
  EXPECT_THAT(unwritten_of_one(begin + product("accumulate ") + product("") + end),
              HasSubstr("its c reads acc@0x0, which nothing wrote before"));
}

TEST(Written, PaddingIsWritten) {
  const std::string read = "vector copy [64] a@0:bf16(2) -> acc@0:bf16(2) wait t1\n";
  EXPECT_EQ(unwritten_of_one("load bf16 [64] dram@0x1000(2) -> a@0(2) pad=[0:1] post t1\n" + read), "");
  EXPECT_THAT(unwritten_of_one("load bf16 [63] dram@0x1000(2) -> a@0(2) post t1\n" + read),
              HasSubstr("its a reads a@0x7e"));
}

TEST(Written, ByAnotherCoreBeforeItsSignal) {
  const std::string write = kInputA + "post t1\nstore bf16 [64] a@0(2) -> dram@0x3000(2) wait t1\n";
  const std::string signal = "signal core=1 flag=0 unit=store\n", wait = "wait flag=0 count=1 unit=load\n";
  const auto read_from = [&](const std::string& place) {
    return unwritten("core 0 fetch @0x10000\n" + write + signal + "core 1 fetch @0x10000\n" + wait +
                     "load bf16 [64] dram@" + place + "(2) -> a@0(2)\n");
  };
  EXPECT_EQ(read_from("0x3000"), "");
  EXPECT_THAT(read_from("0x3002"), HasSubstr("its source reads dram@0x3080"));
}

TEST(Written, InTheMemoryOfTheirCluster) {
  const std::string write = kInputA + "post t1\nstore bf16 [64] a@0(2) -> cluster@0(2) wait t1\n";
  const auto read_by = [&](const std::string& core) {
    return unwritten("core 0 fetch @0x10000\n" + write + "signal core=" + core + " flag=0 unit=store\ncore " + core +
                     " fetch @0x10000\nwait flag=0 count=1 unit=load\nload bf16 [64] cluster@0(2) -> a@0(2)\n");
  };
  EXPECT_EQ(read_by("1"), "");
  EXPECT_THAT(read_by("2"), HasSubstr("its source reads cluster@0x0"));
}

TEST(Written, ZerosAreFilledInWithoutReading) {
  EXPECT_EQ(unwritten_of_one("vector where [64] b@0:bf16(2), 0 -> b@0:bf16(2)\n"), "");
  EXPECT_THAT(unwritten_of_one("vector where [64] b@0:bf16(2), 1 -> b@0:bf16(2)\n"), HasSubstr("its a reads b@0x0"));
}

// Windows that overlap, in an image with a hole that they do and do not step into.
TEST(Written, StridedReadsSkipWhatTheyDoNotTouch) {
  const std::string two_rows = "load bf16 [2,8] dram@0x1000(32,2) -> a@0(32,2) post t1\n";
  EXPECT_EQ(unwritten_of_one(two_rows + "vector copy [2,8] a@0:bf16(32,2) -> acc@0:bf16(16,2) wait t1\n"), "");
  EXPECT_THAT(unwritten_of_one(two_rows + "vector copy [2,9] a@0:bf16(32,2) -> acc@0:bf16(18,2) wait t1\n"),
              HasSubstr("its a reads a@0x10"));
}

}  // namespace
}  // namespace tilewright
