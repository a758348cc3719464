// Each rule: legal at its limit, illegal one step further.
#include <gmock/gmock.h>

#include "sim/base/error.h"
#include "sim/isa/binary.h"
#include "tests/unit/sim/isa/isa_support.h"

namespace tilewright {
namespace {

using testing::HasSubstr;

TEST(Bounds, OperandFillsTheBufferAndNotOneByteMore) {
  EXPECT_EQ(core_fault("load bf16 [2048] dram@0x1000(2) -> a@0(2)\n"), "");
  Hardware smaller = small_chip();
  smaller.core.buffer_a = 4095;
  EXPECT_THAT(fault_of(one_core("load bf16 [2048] dram@0x1000(2) -> a@0(2)\n"), smaller),
              HasSubstr("reaches byte 4096 of a, which has 4095"));
}

TEST(Bounds, StridedOperandEndsAtItsLastElement) {
  EXPECT_EQ(core_fault("load bf16 [4,64] dram@0x1000(128,2) -> b@0(1312,2)\n") + "|", "|");
  EXPECT_THAT(core_fault("load bf16 [4,64] dram@0x1000(128,2) -> b@0(1324,2)\n"), HasSubstr("reaches byte 4100 of b"));
}

TEST(Bounds, DramOperandStaysInOneSegment) {
  EXPECT_EQ(core_fault("load bf16 [64] dram@0x1f80(2) -> a@0(2)\n"), "");
  EXPECT_THAT(core_fault("load bf16 [64] dram@0x1f82(2) -> a@0(2)\n"), HasSubstr("lies in no segment"));
}

TEST(Bounds, ClusterShareIsTheAddressedWays) {
  EXPECT_EQ(core_fault("load bf16 [1024] cluster@0(2) -> a@0(2)\n"), "");
  EXPECT_THAT(core_fault("load bf16 [1024] cluster@2(2) -> a@0(2)\n"), HasSubstr("of cluster, which has 2048"));
  Hardware bus = small_chip();
  bus.cluster_memory.reset();
  EXPECT_THAT(fault_of(one_core("load bf16 [1] cluster@0(2) -> a@0(2)\n"), bus), HasSubstr("has 0 bytes"));
}

TEST(Bounds, WhatBelongsToOthers) {
  EXPECT_EQ(
      core_fault("load bf16 [2048] a.3@0(2) -> a@0(2) post t1\nstore bf16 [1024] a@0(2) -> cluster.1@0(2) wait t1\n"),
      "");
  EXPECT_EQ(core_fault("copy bf16 [1024] acc.1@0(2) -> cluster.1@0(2) unit=load\n"), "");
  EXPECT_THAT(core_fault("load bf16 [1] a.4@0(2) -> a@0(2)\n"), HasSubstr("source is in a.4, the chip has 4 cores"));
  EXPECT_THAT(core_fault("load bf16 [1] cluster.2@0(2) -> a@0(2)\n"), HasSubstr("the chip has 2 clusters"));
  EXPECT_THAT(core_fault("load bf16 [1] b.0@0(2) -> a@0(2)\n"), HasSubstr("is in b.0, which is its own"));
  EXPECT_THAT(core_fault("load bf16 [1] cluster.0@0(2) -> a@0(2)\n"), HasSubstr("is in cluster.0, which is its own"));
  EXPECT_THAT(core_fault("load bf16 [1] dram.0@0x1000(2) -> a@0(2)\n"), HasSubstr("which belongs to nobody"));
  EXPECT_THAT(core_fault("load bf16 [1] dram@0x1000(2) -> a.1@0(2)\n"),
              HasSubstr("target is in a.1, expected a buffer of its own"));
  EXPECT_THAT(core_fault("store bf16 [1] a.1@0(2) -> dram@0x3000(2)\n"), HasSubstr("expected a buffer of its own"));
  EXPECT_THAT(core_fault("load bf16 [2048] a.3@2(2) -> a@0(2)\n"), HasSubstr("byte 4098 of a.3, which has 4096"));
  EXPECT_THAT(core_fault("load bf16 [1] a.1@0(2) -> a@0(2) cached\n"),
              HasSubstr("only a load from dram may be cached"));
}

TEST(Bounds, OnlyHiddenAndOutputAreWritten) {
  EXPECT_EQ(core_fault("store bf16 [1] a@0(2) -> dram@0x3000(2)\nstore bf16 [1] a@0(2) -> dram@0x4000(2)\n"), "");
  EXPECT_THAT(core_fault("store bf16 [1] a@0(2) -> dram@0x1000(2)\n"), HasSubstr("writes the input segment 'x'"));
  EXPECT_THAT(core_fault("store bf16 [1] a@0(2) -> dram@0x2000(2)\n"), HasSubstr("writes the constant segment 'w'"));
  EXPECT_THAT(core_fault("load bf16 [1] dram@0x10000(2) -> a@0(2)\n"), HasSubstr("reads the instructions segment"));
}

TEST(Bounds, Alignment) {
  EXPECT_EQ(core_fault("load fp32 [2] dram@0x1004(4) -> a@4(4)\n"), "");
  EXPECT_THAT(core_fault("load fp32 [2] dram@0x1002(4) -> a@4(4)\n"), HasSubstr("not aligned"));
  EXPECT_THAT(core_fault("load fp32 [2] dram@0x1000(4) -> a@0(6)\n"), HasSubstr("not a multiple"));
}

TEST(Bounds, Strides) {
  EXPECT_THAT(core_fault("load bf16 [2] dram@0x1002(-2) -> a@0(2)\n"), HasSubstr("negative stride"));
  EXPECT_THAT(core_fault("load bf16 [4] dram@0x1000(4611686018427387904) -> a@0(2)\n"),
              HasSubstr("past every address"));
  EXPECT_EQ(core_fault("load bf16 [4] dram@0x1000(0) -> a@0(2)\n"), "");
  EXPECT_THAT(core_fault("load bf16 [4] dram@0x1000(2) -> a@0(0)\n"), HasSubstr("writes a place twice"));
  EXPECT_THAT(core_fault("load bf16 [2,4] dram@0x1000(8,2) -> a@0(6,2)\n"), HasSubstr("writes a place twice"));
  EXPECT_EQ(core_fault("load bf16 [2,4] dram@0x1000(8,2) -> a@0(8,2)\n"), "");
}

// From the element of the highest address down to that of the lowest.
TEST(Bounds, BuffersAreWalkedBackwards) {
  EXPECT_EQ(core_fault("load bf16 [2,4] dram@0x1000(8,2) -> a@14(-8,-2)\n"), "");
  EXPECT_THAT(core_fault("load bf16 [2,4] dram@0x1000(8,2) -> a@12(-8,-2)\n"), HasSubstr("negative address"));
  EXPECT_EQ(core_fault("load bf16 [2] dram@0x1000(2) -> a@4094(-2)\n"), "");
  EXPECT_THAT(core_fault("load bf16 [2] dram@0x1000(2) -> a@4096(-2)\n"), HasSubstr("reaches byte 4098 of a"));
  EXPECT_THAT(core_fault("load bf16 [2,4] dram@0x1000(8,2) -> a@14(-4,2)\n"), HasSubstr("writes a place twice"));
  EXPECT_THAT(core_fault("load bf16 [4] dram@0x1000(2) -> a@0(-9223372036854775808)\n"), HasSubstr("negative stride"));
  EXPECT_THAT(core_fault("load bf16 [2] dram@0x1000(2) -> a@4(2) post t1\n"
                         "store bf16 [2] a@6(-2) -> dram@0x4002(-2) wait t1\n"),
              HasSubstr("target has the negative stride"));
}

TEST(Bounds, ShapesAreNotEmpty) {
  EXPECT_THAT(core_fault("load bf16 [0] dram@0x1000(2) -> a@0(2)\n"), HasSubstr("extent of 0"));
  EXPECT_THAT(core_fault("matmul bf16 m=[1] n=[0] k=[1] a@0(2;2) b@0(2;2) -> acc@0(4;4)\n"),
              HasSubstr("n has an extent"));
}

TEST(Bounds, Padding) {
  EXPECT_EQ(core_fault("load bf16 [4] dram@0x1ffc(2) -> a@0(2) pad=[1:1]\n"), "");
  EXPECT_THAT(core_fault("load bf16 [5] dram@0x1ffc(2) -> a@0(2) pad=[1:1]\n"), HasSubstr("in no segment"));
  EXPECT_EQ(core_fault("load bf16 [4] dram@0x0(2) -> a@0(2) pad=[2:2]\n"), "");
  EXPECT_THAT(core_fault("load bf16 [4] dram@0x1000(2) -> a@0(2) pad=[2:3]\n"), HasSubstr("padding 2:3"));
  EXPECT_THAT(core_fault("store bf16 [4] a@0(2) -> dram@0x3000(2) pad=[1:0]\n"), HasSubstr("only a load may pad"));
  EXPECT_THAT(core_fault("load bf16 [4] cluster@0(2) -> a@0(2) cached\n"), HasSubstr("may be cached"));
}

TEST(Bounds, SpacesAndStreams) {
  EXPECT_THAT(core_fault("load bf16 [1] a@0(2) -> b@0(2)\n"), HasSubstr("source is in a, expected dram|cluster"));
  EXPECT_THAT(core_fault("store bf16 [1] dram@0x1000(2) -> dram@0x3000(2)\n"), HasSubstr("expected a|b|acc"));
}

TEST(Bounds, CopyRunsInEitherTransferStream) {
  EXPECT_EQ(core_fault("copy bf16 [1] dram@0x1000(2) -> dram@0x3000(2) unit=load\n"), "");
  EXPECT_EQ(core_fault("copy bf16 [1] dram@0x1000(2) -> cluster@0(2) unit=store\n"), "");
  EXPECT_THAT(core_fault("copy bf16 [1] dram@0x1000(2) -> cluster@0(2) unit=vector\n"), HasSubstr("vector stream"));
  EXPECT_THAT(core_fault("copy bf16 [1] dram@0x1000(2) -> a@0(2) unit=load\n"), HasSubstr("target is in a"));
  EXPECT_THAT(core_fault("load bf16 [1] dram@0x1000(2) -> a@0(2) unit=store\n"), HasSubstr("store stream"));
}

TEST(Bounds, Matmul) {
  EXPECT_EQ(core_fault("matmul bf16 m=[32] n=[32] k=[64] a@0(128;2) b@0(64;2) -> acc@4096(128;4)\n"), "");
  EXPECT_THAT(core_fault("matmul bf16 m=[32] n=[32] k=[64] a@0(128;2) b@0(64;2) -> acc@4100(128;4)\n"),
              HasSubstr("c reaches byte 8196"));
  EXPECT_THAT(core_fault("matmul bf16 m=[1] n=[1] k=[1] b@0(2;2) b@0(2;2) -> acc@0(4;4)\n"), HasSubstr("a is in b"));
  EXPECT_THAT(core_fault("matmul int32 m=[1] n=[1] k=[1] a@0(4;4) b@0(4;4) -> acc@0(4;4)\n"), HasSubstr("int32"));
}

TEST(Bounds, Reductions) {
  EXPECT_EQ(core_fault("vector reduce_add [4,8] acc@0:fp32(32,4) -> acc@256:fp32(4,0)\n"), "");
  EXPECT_THAT(core_fault("vector relu [4,8] acc@0:fp32(32,4) -> acc@256:fp32(4,0)\n"), HasSubstr("twice"));
  EXPECT_THAT(core_fault("vector relu [8] acc@0:fp32(4) -> acc@0:fp32(4) accumulate\n"), HasSubstr("only a reduction"));
}

TEST(Bounds, MultiplyAddReadsBothOperandsAndMayAccumulate) {
  EXPECT_EQ(core_fault("vector multiply_add [3,8] a@0:bf16(2,2), b@0:bf16(2,0) -> acc@0:fp32(0,4) accumulate\n"), "");
  EXPECT_THAT(core_fault("vector multiply_add [3,8] a@0:bf16(2,2), b@0x100000:bf16(2,0) -> acc@0:fp32(0,4)\n"),
              HasSubstr("b reaches byte"));
}

TEST(Bounds, OperatorIndex) {
  EXPECT_EQ(core_fault("load op=1 bf16 [1] dram@0x1000(2) -> a@0(2)\n"), "");
  EXPECT_THAT(core_fault("load op=2 bf16 [1] dram@0x1000(2) -> a@0(2)\n"), HasSubstr("operator 2"));
}

TEST(Bounds, Synchronisation) {
  EXPECT_THAT(core_fault("signal core=4 flag=1 unit=load\n"), HasSubstr("core 4, the chip has 4"));
  EXPECT_THAT(core_fault("signal core=0 flag=65536 unit=load\n"), HasSubstr("flag 65536"));
  EXPECT_THAT(core_fault("wait flag=0 count=0 unit=load\n"), HasSubstr("at least 1"));
  EXPECT_THAT(core_fault("barrier id=0 of=5 unit=load\n"), HasSubstr("expected 1 to 4"));
  EXPECT_EQ(core_fault("barrier id=0 of=1 unit=load\n"), "");
}

TEST(Bounds, CoresOfTheChip) {
  EXPECT_EQ(fault_of(program_of("cores 4\n")), "");
  EXPECT_THAT(fault_of(program_of("cores 5\n")), HasSubstr("5 cores, the chip has 4"));
}

TEST(Bounds, FetchSegmentHoldsTheInstructions) {
  Program program = one_core("barrier id=0 of=1 unit=load\n");
  program.segments.back().bytes = encoded_size(program.cores[0]);
  EXPECT_EQ(fault_of(program), "");
  --program.segments.back().bytes;
  EXPECT_THAT(fault_of(program), HasSubstr("in no instructions segment"));
  program.cores[0].fetch_address = 0x1000;
  EXPECT_THAT(fault_of(program), HasSubstr("in no instructions segment"));
}

Program with_segment(Address address, Bytes bytes) {
  Program program;
  program.segments.push_back({"s", SegmentKind::kHidden, DataType::kInt8, address, bytes});
  return program;
}

TEST(Bounds, Segments) {
  constexpr Bytes region = 1 << 20;
  EXPECT_EQ(fault_of(with_segment(region, region)), "");
  EXPECT_THAT(fault_of(with_segment(region, region + 1)), HasSubstr("leaves the DRAM"));
  EXPECT_THAT(fault_of(with_segment(region - 1, 2)), HasSubstr("more than one DRAM region"));
  EXPECT_THAT(fault_of(with_segment(-1, 1)), HasSubstr("leaves the DRAM"));
  EXPECT_THAT(fault_of(with_segment(0, 0)), HasSubstr("0 bytes"));
  Program two = with_segment(0, 16);
  two.segments.push_back({"t", SegmentKind::kHidden, DataType::kInt8, 16, 16});
  EXPECT_EQ(fault_of(two), "");
  two.segments[1].address = 15;
  EXPECT_THAT(fault_of(two), HasSubstr("overlap"));
}

TEST(Verify, NamesCoreInstructionAndText) {
  try {
    verify(one_core("load op=2 bf16 [1] dram@0x1000(2) -> a@0(2)\n"), small_chip(), "p.tw");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("p.tw: core 0, instruction 0 'load op=2 bf16 [1] dram@0x1000(2) -> a@0(2)': "));
  }
}

TEST(Verify, ReportsUpToTheLimit) {
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += "load op=2 bf16 [1] dram@0x1000(2) -> a@0(2)\n";
  EXPECT_EQ(find_violations(one_core(lines), small_chip(), 3).size(), 3u);
  EXPECT_EQ(find_violations(one_core(lines), small_chip(), 100).size(), 10u);
}

}  // namespace
}  // namespace tilewright
