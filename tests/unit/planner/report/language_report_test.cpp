// The figures of a language model from those of its first blocks.
#include "planner/report/run/language_report.h"

#include <gtest/gtest.h>

#include "planner/report/run/text.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

constexpr Picoseconds kMicrosecond = 1'000'000;

LanguageModel llama_of(std::int64_t blocks) {
  LanguageRun run{.phase = LanguagePhase::kDecode, .batch = 4, .context = 100, .new_tokens = 10};
  run.blocks = blocks;
  return read_language_model(TILEWRIGHT_SOURCE_DIR "/traces/llm/llama_3_8b.json", run);
}

OperatorReport operator_called(const std::string& name, Picoseconds begin, Picoseconds end) {
  OperatorReport report{.name = name, .begin = begin, .end = end, .ran = true};
  report.macs = 7, report.dram_read = 1000, report.dram_written = 10, report.picojoules = 500;
  return report;
}

// Blocks that end at these times; embedding and head around them.
Report blocks_that_end_at(std::initializer_list<Picoseconds> ends) {
  Report report;
  Picoseconds begin = kMicrosecond;
  report.operators.push_back(operator_called("embed", 0, begin));
  int block = 1;
  for (const Picoseconds end : ends) {
    report.operators.push_back(operator_called(fmt::format("block{}.query", block), begin, end - 5));
    report.operators.push_back(operator_called(fmt::format("block{}.down", block++), begin, end));
    begin = end;
  }
  report.time = begin + kMicrosecond;
  report.operators.push_back(operator_called("head", begin, report.time));
  report.energy = {{"dram", 9000}, {"static", 2.0 * static_cast<double>(report.time)}};
  report.picojoules = 9000 + report.energy.back().picojoules;
  report.macs = 100, report.dram.read = 50'000, report.dram.written = 500;
  return report;
}

Plan tpu_plan() {
  Plan plan;
  plan.hardware = load_hardware(TILEWRIGHT_SOURCE_DIR "/hw_configs/tpu_v4_like.yaml");
  return plan;
}

TEST(LanguageReport, TheSecondBlockStandsForTheRest) {
  const Report report = blocks_that_end_at({10 * kMicrosecond, 18 * kMicrosecond, 26 * kMicrosecond + 80'000});
  const auto whole = language_report(llama_of(3), tpu_plan(), report);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->second_block, 8 * kMicrosecond);
  EXPECT_EQ(whole->third_block, 8 * kMicrosecond + 80'000);
  EXPECT_EQ(whole->time, report.time + 29 * 8 * kMicrosecond);
  EXPECT_EQ(whole->dram_read, 50'000 + 29 * 2000);
  EXPECT_EQ(whole->dram_written, 500 + 29 * 20);
  EXPECT_EQ(whole->multiply_adds, 100 + 29 * 14);
  EXPECT_DOUBLE_EQ(whole->picojoules, report.picojoules + 29 * (1000 + 2.0 * 8 * kMicrosecond));
  EXPECT_EQ(whole->tokens, 4);
  EXPECT_DOUBLE_EQ(whole->tokens_per_second(), 4 / (static_cast<double>(whole->time) * 1e-12));
}

TEST(LanguageReport, BlocksThatDifferByMoreThanTheToleranceStandForNone) {
  const auto third = [](Picoseconds more) {
    return language_report(llama_of(3), tpu_plan(),
                           blocks_that_end_at({10 * kMicrosecond, 18 * kMicrosecond, 26 * kMicrosecond + more}));
  };
  EXPECT_TRUE(third(80'000));
  EXPECT_TRUE(third(-80'000));
  EXPECT_FALSE(third(80'001));
  EXPECT_FALSE(third(-80'001));
}

TEST(LanguageReport, AllBlocksSimulatedAreTheirOwnFigures) {
  const Report report = blocks_that_end_at({10 * kMicrosecond, 30 * kMicrosecond, 31 * kMicrosecond});
  const auto whole = language_report(llama_of(32), tpu_plan(), report);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->time, report.time);
  EXPECT_EQ(whole->picojoules, report.picojoules);
  EXPECT_EQ(whole->second_block, 0);
}

TEST(LanguageReport, BoundsAreThoseOfWeightsCacheAndMultiplyAdds) {
  const auto whole = language_report(llama_of(32), tpu_plan(), blocks_that_end_at({kMicrosecond}));
  ASSERT_TRUE(whole);
  const LanguageWork work = work_of(llama_of(32), DataType::kBf16);
  EXPECT_EQ(work.weights, 8'030'261'248 * 2);
  EXPECT_EQ(work.weights_read, (8'030'261'248 - (128'256 - 4) * 4096LL) * 2);
  EXPECT_EQ(work.cache_read, 2LL * 32 * 8 * 128 * 2 * 4 * 104);
  EXPECT_EQ(work.cache_written, 2LL * 32 * 8 * 128 * 2 * 4);
  // 614.65 GB/s; 4 x 16,384 multiply-adds a nanosecond.
  EXPECT_NEAR(static_cast<double>(whole->bandwidth_bound), static_cast<double>(work.step_bytes()) / 614.65e9 * 1e12,
              1e8);
  EXPECT_NEAR(static_cast<double>(whole->compute_bound), static_cast<double>(work.macs) / 65'536 * 1000, 2000);
  EXPECT_FALSE(whole->fits());
}

TEST(LanguageReport, TheTextNamesWhatWasTaken) {
  Report report = blocks_that_end_at({10 * kMicrosecond, 18 * kMicrosecond, 26 * kMicrosecond});
  report.language = language_report(llama_of(3), tpu_plan(), report);
  report.core_clock = tpu_plan().hardware.core_clock;
  const std::string text = language_text(*report.language);
  EXPECT_NE(text.find("decode, 4 sequences, 100 tokens in the cache and 10 to come"), std::string::npos);
  EXPECT_NE(text.find("3 of 32 simulated; the others taken as the second, 8.000 us"), std::string::npos);
  EXPECT_NE(text.find("time of all new tokens"), std::string::npos);
}

}  // namespace
}  // namespace tilewright
