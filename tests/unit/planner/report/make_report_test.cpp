#include "planner/report/run/make_report.h"

#include <gmock/gmock.h>

#include "planner/report/run/verdict.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::IsEmpty;
using testing::StartsWith;

constexpr Picoseconds kTime = 1'000'000;  // 1000 core cycles

// One core of 4 x 4 multiply-adds a cycle, DRAM of 16 GB/s.
Hardware small_chip() {
  Hardware hardware;
  hardware.name = "small";
  hardware.core.matmul.rows = hardware.core.matmul.columns = 4;
  hardware.core.matmul.rate.fill(1);
  hardware.dram.timing.burst = 4;
  hardware.energy.picojoules.fill(2);
  hardware.energy.static_watts = 0.5;
  return hardware;
}

Program one_matmul() {
  Matmul matmul;
  matmul.m[2] = matmul.n[2] = 4;
  matmul.k[2] = 100;
  Program program;
  program.operators = {"none", "mm", "fused"};
  program.cores = {{{{.unit = Unit::kMatmul, .op = 1, .payload = matmul}}}};
  return program;
}

struct Figures {
  double compute = 500, wait_a = 200, wait_b = 100, idle = 200, vector_busy = 50, ideal = 100;
  Bytes read = 4000;
  CauseTimes causes{500'000, 200'000, 100'000, 0, 0, 0, 0, 50'000, 0, 0, 0, 0, 150'000};
};

RunResult measured(const Figures& f) {
  RunResult result;
  result.time = kTime;
  result.causes = {f.causes};
  result.operators.resize(3);
  result.operators[0].events[static_cast<int>(Event::kInstruction)] = 1;
  result.operators[1].begin = 0;
  result.operators[1].end = kTime;
  result.operators[1].events[static_cast<int>(Event::kMacFp16)] = 1600;
  result.operators[1].events[static_cast<int>(Event::kDramReadBytes)] = f.read;
  const auto add = [&](const char* name, double value) { result.statistics.add(name, "", "", value); };
  add("core0.compute_cycles", f.compute);
  add("core0.wait_a_cycles", f.wait_a);
  add("core0.wait_b_cycles", f.wait_b);
  add("core0.wait_accumulator_cycles", 0);
  add("core0.wait_token_cycles", 0);
  add("core0.idle_cycles", f.idle);
  add("core0.vector.busy_cycles", f.vector_busy);
  add("core0.matmul.ideal_cycles", f.ideal);
  add("core0.matmul.busy_cycles", f.compute);
  add("dram0.row_hits", 9);
  add("dram0.row_misses", 1);
  add("dram0.row_conflicts", 0);
  add("memory.reads", 30);
  add("memory.multicast_bytes", 300);
  add("cluster0.combined_bytes", 20);
  add("dram0.reads", 12);
  add("dram0.completed_reads", 10);
  add("dram0.read_latency_total", 400);
  return result;
}

Report report_of(const Figures& figures) {
  const Hardware hardware = small_chip();
  const Program program = one_matmul();
  const RunResult result = measured(figures);
  return make_report({.hardware = hardware, .program = program, .result = result, .workload = "mm"});
}

TEST(MakeReport, DerivesRatiosFromCounts) {
  const Report report = report_of({});
  EXPECT_EQ(report.cycles(), 1000);
  EXPECT_DOUBLE_EQ(report.utilisation, 0.1);
  EXPECT_DOUBLE_EQ(report.mapping_efficiency, 0.2);
  EXPECT_DOUBLE_EQ(report.dram.bytes_per_second, 4e9);
  EXPECT_DOUBLE_EQ(report.dram.share_of_peak(), 0.25);
  EXPECT_DOUBLE_EQ(report.dram.hit_rate(), 0.9);
  EXPECT_DOUBLE_EQ(report.dram.mean_read_latency_ns, 40);
  EXPECT_EQ(report.dram.shared, 320);
  EXPECT_EQ(report.macs, 1600);
  EXPECT_DOUBLE_EQ(report.core_time[0][static_cast<int>(CorePhase::kWaitA)], 0.2);
}

TEST(MakeReport, OperatorsCarryTheirPart) {
  const Report report = report_of({});
  ASSERT_EQ(report.operators.size(), 2u);
  EXPECT_DOUBLE_EQ(report.operators[0].utilisation, 0.1);  // 1600 multiply-adds, 16 a cycle, 1000 cycles
  EXPECT_EQ(report.operators[0].dram_read, 4000);
  EXPECT_DOUBLE_EQ(report.operators[0].picojoules, 2 * 5600);
  EXPECT_FALSE(report.operators[1].ran);
}

TEST(MakeReport, EnergyAddsUp) {
  const Report report = report_of({});
  double sum = 0;
  for (const EnergyShare& part : report.energy) sum += part.picojoules;
  EXPECT_DOUBLE_EQ(sum, report.picojoules);
  EXPECT_DOUBLE_EQ(report.picojoules, 2 * 5601 + 0.5 * kTime);
}

TEST(MakeReport, RefusesFiguresAboveAPhysicalLimit) {
  EXPECT_THROW(report_of({.read = 17'000}), InternalError);              // over the DRAM's peak
  EXPECT_THROW(report_of({.ideal = 1100}), InternalError);               // over the matmul unit's peak
  EXPECT_THROW(report_of({.ideal = 600}), InternalError);                // more work than its busy time holds
  EXPECT_THROW(report_of({.vector_busy = 1100}), InternalError);         // busy for longer than the run
  EXPECT_THROW(report_of({.compute = 499, .ideal = 9}), InternalError);  // phases leave a gap
  EXPECT_THROW(report_of({.causes = {999'000}}), InternalError);         // causes do
}

Report report_caused_by(Cause cause) {
  Figures figures;
  figures.causes = {};
  figures.causes[static_cast<int>(Cause::kCompute)] = 3 * kTime / 10;
  figures.causes[static_cast<int>(cause)] += 7 * kTime / 10;
  return report_of(figures);
}

TEST(Verdict, NamesTheLargestCauseAndWhatToChangeFirst) {
  EXPECT_THAT(report_of({}).bottleneck, StartsWith("the matmul units: 50 % of the cores' time"));
  EXPECT_THAT(report_caused_by(Cause::kDramBandwidth).bottleneck, StartsWith("DRAM bandwidth: 70 %"));
  EXPECT_THAT(report_caused_by(Cause::kDramBandwidth).bottleneck, EndsWith("25 % of DRAM's peak is used"));
  EXPECT_EQ(report_caused_by(Cause::kDramBandwidth).first_change, "dram.channels=x2");
  EXPECT_EQ(report_caused_by(Cause::kVector).first_change, "core.vector.lanes=x2");
  EXPECT_EQ(report_caused_by(Cause::kOtherCore).first_change, "");
}

TEST(Verdict, EveryAdviceActsOnItsCause) {
  for (int i = 0; i < kCauseCount; ++i) {
    const Report report = report_caused_by(static_cast<Cause>(i));
    const std::string key = report.first_change.substr(0, report.first_change.find('='));
    if (key.empty()) continue;
    EXPECT_THAT(causes_under(key), Contains(static_cast<Cause>(i))) << key;
  }
  EXPECT_THAT(causes_under("core.frequency_mhz"), IsEmpty());
}

}  // namespace
}  // namespace tilewright
