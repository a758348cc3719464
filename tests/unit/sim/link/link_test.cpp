// Linked programs: what one writes the next reads, on several cores, with tokens, flags and barriers of the same
// numbers in both; and what cannot be linked.
#include <gmock/gmock.h>

#include <cstring>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/link/link_programs.h"
#include "sim/isa/text.h"
#include "sim/isa/verify/verify.h"
#include "sim/session.h"

namespace tilewright {
namespace {

using testing::HasSubstr;

const Hardware& chip() {
  static const Hardware hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/dual_cluster.yaml");
  return hardware;
}

LinkedPart part(const std::string& name, const std::string& segments, const std::string& cores) {
  LinkedPart made{name, parse_program("program \"" + name + "\"\noperator 1 \"" + name + ".op\"\n" + segments +
                                          "segment \"code\" instructions int8 @0x10000 65536\n" + cores,
                                      name)};
  EXPECT_TRUE(find_violations(made.program, chip()).empty()) << name;
  return made;
}

// TO = FROM + FROM, 64 fp32 values: core 0 loads, core 1 adds and stores, by way of a hidden segment, with a token, a
// flag and a barrier of the same numbers each time.
LinkedPart doubling(const std::string& from, const std::string& to) {
  const std::string segments = "segment \"" + from +
                               "\" input fp32 @0x1000 256\nsegment \"way\" hidden fp32 @0x2000 256\n" + "segment \"" +
                               to + "\" output fp32 @0x3000 256\n";
  return part(from + to, segments,
              "core 0 fetch @0x10000\n"
              "load op=1 fp32 [64] dram@0x1000(4) -> a@0(4) post t1\n"
              "store op=1 fp32 [64] a@0(4) -> dram@0x2000(4) wait t1\n"
              "signal core=1 flag=2 unit=store\n"
              "barrier id=5 of=2 unit=store\n"
              "core 1 fetch @0x12000\n"
              "wait flag=2 count=1 unit=load\n"
              "load op=1 fp32 [64] dram@0x2000(4) -> acc@0(4) post t1\n"
              "vector op=1 add [64] acc@0:fp32(4), acc@0:fp32(4) -> acc@0:fp32(4) wait t1 post t2\n"
              "store op=1 fp32 [64] acc@0(4) -> dram@0x3000(4) wait t2\n"
              "barrier id=5 of=2 unit=store\n");
}

std::vector<float> kept(const RunResult& result) {
  std::vector<float> values(result.kept.front().bytes.size() / sizeof(float));
  std::memcpy(values.data(), result.kept.front().bytes.data(), result.kept.front().bytes.size());
  return values;
}

RunOptions with_input(const std::string& name, const std::string& wanted) {
  RunOptions options{.values = true, .keep = {wanted}};
  SegmentData data{name, std::vector<std::byte>(256)};
  for (int i = 0; i < 64; ++i) {
    const auto value = static_cast<float>(i);
    std::memcpy(data.bytes.data() + 4 * i, &value, 4);
  }
  options.initial.push_back(std::move(data));
  return options;
}

std::string fault_of(const std::vector<LinkedPart>& parts) {
  try {
    link_programs(parts, chip());
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Link, ALaterProgramReadsWhatAnEarlierOneWrote) {
  const Program linked = link_programs({doubling("x", "y"), doubling("y", "z"), doubling("z", "u")}, chip());
  ASSERT_TRUE(find_violations(linked, chip()).empty());
  verify_written(linked, chip(), "linked");
  Session session(chip());
  const std::vector<float> values = kept(session.run(linked, with_input("x", "u")));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 8.0F * static_cast<float>(i));
}

TEST(Link, TakesTheTimeOfItsPartsAndOfTheirMeetings) {
  Session session(chip());
  const Picoseconds alone = session.run(doubling("x", "y").program).time;
  const Picoseconds linked = session.run(link_programs({doubling("x", "y"), doubling("y", "z")}, chip())).time;
  EXPECT_GT(linked, 3 * alone / 2);  // instructions are fetched ahead while the first part runs
  EXPECT_LT(linked, 5 * alone / 2);
}

TEST(Link, HiddenSegmentsStayApartAndOthersMeet) {
  const Program linked = link_programs({doubling("x", "y"), doubling("y", "z")}, chip());
  std::vector<std::string> names;
  for (const Segment& segment : linked.segments) names.push_back(segment.name);
  EXPECT_THAT(names,
              testing::ElementsAre("x", "way", "y", "way.2", "z", "instructions of core 0", "instructions of core 1"));
  EXPECT_EQ(linked.operators, (std::vector<std::string>{"none", "xy.op", "yz.op"}));
}

// Three programs have a segment at 0x2000; those that move keep their place among the channels.
TEST(Link, WhatMeetsMovesByWholeRounds) {
  const Program linked = link_programs({doubling("x", "y"), doubling("y", "z"), doubling("z", "u")}, chip());
  const Bytes round = chip().dram.interleave_bytes * chip().dram.channels / chip().dram.regions;
  int moved = 0;
  for (const Segment& segment : linked.segments) {
    if (!segment.name.starts_with("way.")) continue;
    EXPECT_NE(segment.address, 0x2000);
    EXPECT_EQ((segment.address - 0x2000) % round, 0);
    ++moved;
  }
  EXPECT_EQ(moved, 2);
}

TEST(Link, SegmentsOfOneNameAreAlike) {
  LinkedPart other = doubling("y", "z");
  for (Segment& segment : other.program.segments)
    if (segment.name == "y") segment.bytes = 512;
  EXPECT_THAT(fault_of({doubling("x", "y"), other}),
              HasSubstr("segment 'y' has 512 bytes of fp32, but 256 of fp32 in xy"));
}

TEST(Link, NobodyWritesWhatAnEarlierOneReads) {
  EXPECT_THAT(fault_of({doubling("x", "y"), doubling("y", "x")}),
              HasSubstr("segment 'x' is 'output' here and 'input' in xy, which runs before"));
  EXPECT_THAT(fault_of({doubling("x", "y"), doubling("z", "y")}),
              HasSubstr("segment 'y' is 'output' here and 'output' in xy, which runs before"));
}

// The sum that `state` holds grows by `from`.
LinkedPart adding(const std::string& from, const std::string& state) {
  return part(from + "+" + state,
              "segment \"" + from + "\" input fp32 @0x1000 256\nsegment \"" + state + "\" state fp32 @0x3000 256\n",
              "core 0 fetch @0x10000\n"
              "load op=1 fp32 [64] dram@0x1000(4) -> a@0(4) post t1\n"
              "load op=1 fp32 [64] dram@0x3000(4) -> acc@0(4) post t2\n"
              "vector op=1 add [64] acc@0:fp32(4), a@0:fp32(4) -> acc@0:fp32(4) wait t1,t2 post t3\n"
              "store op=1 fp32 [64] acc@0(4) -> dram@0x3000(4) wait t3\n");
}

TEST(Link, StatesGoFromPartToPart) {
  const Program linked = link_programs({adding("x", "sum"), adding("x", "sum"), doubling("sum", "z")}, chip());
  verify_written(linked, chip(), "linked");
  EXPECT_EQ(linked.segments[1].kind, SegmentKind::kState);
  Session session(chip());
  const std::vector<float> values = kept(session.run(linked, with_input("x", "z")));  // of a sum of zeros
  for (int i = 0; i < 64; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 4.0F * static_cast<float>(i));
}

// What was an input before somebody changes it is a state of the whole; an output that somebody goes on with stays one.
TEST(Link, StatesMeetInputsAndOutputs) {
  const auto kind = [](const std::vector<LinkedPart>& parts, const std::string& name) {
    for (const Segment& segment : link_programs(parts, chip()).segments)
      if (segment.name == name) return segment.kind;
    return SegmentKind::kInstructions;
  };
  EXPECT_EQ(kind({doubling("s", "y"), adding("x", "s")}, "s"), SegmentKind::kState);
  EXPECT_EQ(kind({doubling("y", "s"), adding("x", "s")}, "s"), SegmentKind::kOutput);
  EXPECT_THAT(fault_of({adding("x", "s"), doubling("x", "s")}),
              HasSubstr("segment 's' is 'output' here and 'state' in x+s, which runs before"));
}

// Room at N, none at N + 1 segments of a quarter of a region.
TEST(Link, DramHasRoom) {
  const Bytes quarter = chip().dram.region_capacity() / 4;
  std::vector<LinkedPart> parts;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "p" + std::to_string(i);
    parts.push_back(part(name, "segment \"" + name + "\" output int8 @0x40000 " + std::to_string(quarter) + "\n",
                         "core 0 fetch @0x10000\nbarrier id=1 of=1 unit=load\n"));
  }
  const std::string fifth = fault_of(parts);
  EXPECT_THAT(fifth, HasSubstr("no room for segment"));
  parts.resize(3);
  EXPECT_EQ(fault_of(parts), "");
}

}  // namespace
}  // namespace tilewright
