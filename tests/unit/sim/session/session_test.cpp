#include "sim/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/support/gemm_program.h"

namespace tilewright {
namespace {

using testing_support::GemmProgram;
using testing_support::GemmShape;

Hardware chip(const std::string& name) {
  return load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + name + ".yaml");
}

std::vector<std::byte> bf16_values(std::int64_t count, int seed) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(2 * count));
  for (std::int64_t i = 0; i < count; ++i) {
    store_element(&bytes[static_cast<std::size_t>(2 * i)], DataType::kBf16,
                  static_cast<double>((i * 7 + seed) % 13 - 6));
  }
  return bytes;
}

double value_at(const std::vector<std::byte>& bytes, std::int64_t index) {
  return load_element(&bytes[static_cast<std::size_t>(2 * index)], DataType::kBf16);
}

RunOptions with_values(const GemmShape& shape) {
  RunOptions options;
  options.values = true;
  options.initial = {{"a", bf16_values(shape.m * shape.k, 1)}, {"b", bf16_values(shape.k * shape.n, 5)}};
  options.keep = {"c"};
  return options;
}

TEST(Session, RunsAGemm) {
  const Hardware hardware = chip("edge_single");
  Session session(hardware);
  const RunResult result = session.run(GemmProgram(hardware, {}).make());
  EXPECT_GE(result.time, hardware.core_clock.to_ps(256 * 256)) << "256^3 multiply-adds on 16 x 16";
  EXPECT_EQ(result.operators[1].events[static_cast<int>(Event::kMacFp16)], 256 * 256 * 256);
  EXPECT_LT(result.operators[1].end, result.time) << "the posted writes still drain";
  EXPECT_LT(result.time - result.operators[1].end, 1'000'000);
}

TEST(Session, ComputesTheProduct) {
  const Hardware hardware = chip("edge_single");
  const GemmShape shape{64, 96, 40, 32, 32};
  Session session(hardware);
  const RunOptions options = with_values(shape);
  const RunResult result = session.run(GemmProgram(hardware, shape).make(), options);
  const auto &a = options.initial[0].bytes, &b = options.initial[1].bytes, &c = result.kept.at(0).bytes;
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < shape.k; ++p) sum += value_at(a, i * shape.k + p) * value_at(b, p * shape.n + j);
      ASSERT_EQ(value_at(c, i * shape.n + j), round_to(DataType::kBf16, sum)) << i << "," << j;
    }
  }
}

TEST(Session, GivesTheSameResultEveryTimeWithAndWithoutValues) {
  const Hardware hardware = chip("edge_single");
  Session session(hardware);
  const Program program = GemmProgram(hardware, {}).make();
  const RunResult first = session.run(program);
  const RunResult second = session.run(program, with_values({}));
  const RunResult third = session.run(program);
  EXPECT_EQ(first.time, second.time);
  EXPECT_EQ(first.time, third.time);
  EXPECT_EQ(first.statistics, second.statistics);
  EXPECT_EQ(first.statistics, third.statistics);
}

TEST(Session, ActivitiesOfEveryCoreAddUpToTheRun) {
  const Hardware hardware = chip("quad_smp");
  Session session(hardware);
  const RunResult result = session.run(GemmProgram(hardware, {}).make(5));
  const double cycles = static_cast<double>(result.time) / static_cast<double>(hardware.core_clock.period_ps);
  for (const char* core : {"core0", "core5"}) {
    double sum = 0;
    for (const char* part : {"idle", "compute", "wait_a", "wait_b", "wait_accumulator", "wait_token"}) {
      sum += result.statistics.at(std::string(core) + "." + part + "_cycles");
    }
    EXPECT_DOUBLE_EQ(sum, cycles) << core;
  }
  EXPECT_EQ(result.statistics.at("core0.idle_cycles"), cycles);
  EXPECT_GT(result.statistics.at("core5.wait_a_cycles") + result.statistics.at("core5.wait_b_cycles"), 0);
  EXPECT_GE(result.statistics.at("core5.compute_cycles"), 256 * 256 * 256 / (32 * 32));
}

TEST(Session, TraceNamesLanesAndStaysInsideTheRun) {
  struct Listener : TraceListener {
    void span(const std::string& lane, std::string_view name, Picoseconds begin, Picoseconds end, int op) override {
      ++spans;
      lanes.insert(lane);
      EXPECT_LE(begin, end);
      EXPECT_FALSE(name.empty());
      EXPECT_EQ(op, 1);
      last = std::max(last, end);
    }
    int spans = 0;
    std::set<std::string> lanes;
    Picoseconds last = 0;
  } listener;
  const Hardware hardware = chip("edge_single");
  Session session(hardware);
  RunOptions options;
  options.trace = &listener;
  const Program program = GemmProgram(hardware, {}).make();
  const RunResult result = session.run(program, options);
  EXPECT_EQ(listener.spans, static_cast<int>(program.cores[0].instructions.size()));
  EXPECT_EQ(listener.lanes, (std::set<std::string>{"core 0/load", "core 0/store", "core 0/matmul", "core 0/vector"}));
  EXPECT_LE(listener.last, result.time);
}

TEST(Session, RejectsAnIllegalProgramAndRunsTheNext) {
  const Hardware hardware = chip("edge_single");
  Session session(hardware);
  const Program good = GemmProgram(hardware, {}).make();
  Program bad = good;
  std::get<Transfer>(bad.cores[0].instructions[0].payload).target.address = hardware.core.buffer_a;
  EXPECT_THROW(session.run(bad), UserError);
  EXPECT_NO_THROW(session.run(good));
}

TEST(Session, NamesAnUnknownSegment) {
  const Hardware hardware = chip("edge_single");
  Session session(hardware);
  RunOptions options = with_values({});
  options.keep = {"missing"};
  EXPECT_THROW(session.run(GemmProgram(hardware, {}).make(), options), UserError);
}

TEST(Session, TwoSessionsOfOneProcessDoNotDisturbEachOther) {
  const Hardware small = chip("edge_single"), large = chip("quad_smp");
  Session first(small), second(large);
  const Program for_first = GemmProgram(small, {}).make(), for_second = GemmProgram(large, {}).make();
  const Picoseconds first_time = first.run(for_first).time, second_time = second.run(for_second).time;
  EXPECT_EQ(first.run(for_first).time, first_time);
  EXPECT_EQ(second.run(for_second).time, second_time);
}

TEST(Session, LongLoadsComeNearThePeakOfThePort) {
  const Hardware hardware = chip("quad_smp");
  Session session(hardware);
  const RunResult result = session.run(GemmProgram(hardware, {1024, 256, 256, 64, 256}).make());
  const double port =
      static_cast<double>(hardware.network.flit_bytes) * 1e3 / static_cast<double>(hardware.network.clock.period_ps);
  EXPECT_GT(result.statistics.at("memory.bandwidth"), 0.5 * port);
  EXPECT_LT(result.statistics.at("memory.bandwidth"), 2 * port) << "one port, both directions";
}

TEST(Session, CoresThatAProgramDoesNotNameAreIdle) {
  const Hardware hardware = chip("quad_smp");
  Session session(hardware);
  Program program = GemmProgram(hardware, {}).make();
  const Picoseconds time = session.run(program).time;
  program.cores.resize(1);
  EXPECT_EQ(session.run(program).time, time);
  program.cores.resize(hardware.cores() + 1);
  EXPECT_THROW(session.run(program), UserError);
}

TEST(Session, AnArrayThatDoesNotMultiplyATypeIsTheUsersMistake) {
  const Hardware hardware = chip("edge_single");
  Session session(hardware);
  Program program = GemmProgram(hardware, {64, 64, 16, 64, 64}).make();
  for (Instruction& instruction : program.cores[0].instructions) {
    if (auto* matmul = std::get_if<Matmul>(&instruction.payload)) matmul->type = DataType::kFp32;
  }
  EXPECT_THROW(session.run(program), UserError);
}

}  // namespace
}  // namespace tilewright
