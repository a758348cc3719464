// A timeline is what the trace says, and aggregation keeps every lane's busy time.
#include "planner/report/run/timeline.h"

#include <gtest/gtest.h>

#include <map>

#include "planner/report/run/trace_file.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

Timeline recorded(const TraceRecorder& recorder) {
  return read_timeline(recorder.to_json({"none", "first", "second"}), "t");
}

std::map<int, double> busy_time(const Timeline& timeline) {
  std::map<int, double> busy;
  for (const TimelineBar& bar : timeline.bars) busy[bar.lane] += bar.busy * static_cast<double>(bar.end - bar.begin);
  return busy;
}

TEST(Timeline, IsWhatWasRecorded) {
  TraceRecorder recorder;
  recorder.span("core 0/load", "load", 1'000, 5'000, 1);
  recorder.span("core 0/matmul", "matmul", 5'000, 9'001, 1);
  recorder.span("core 0/load", "load", 6'000, 7'000, 2);
  const Timeline timeline = recorded(recorder);
  EXPECT_EQ(timeline.lanes, (std::vector<std::string>{"core 0 load", "core 0 matmul"}));
  ASSERT_EQ(timeline.bars.size(), 3u);
  EXPECT_EQ(timeline.bars[1].begin, 6'000);
  EXPECT_EQ(timeline.operators[timeline.bars[1].op], "second");
  EXPECT_EQ(timeline.bars[2].end, 9'001);
  EXPECT_EQ(timeline.time, 9'001);
  EXPECT_FALSE(aggregate(timeline).aggregated);
}

TEST(Timeline, AggregationKeepsTheBusyTimeOfEveryLane) {
  TraceRecorder recorder;
  for (int i = 0; i < 3'000; ++i) {
    recorder.span("core 0/load", "load", 100 * i, 100 * i + 60, 1 + i % 2);
    recorder.span("core 1/load", "load", 100 * i + 7, 100 * i + 20, 1);
  }
  const Timeline whole = recorded(recorder), coarse = aggregate(whole, 500);
  EXPECT_TRUE(coarse.aggregated);
  EXPECT_EQ(coarse.spans, 6'000);
  EXPECT_LE(coarse.bars.size(), 500u);
  EXPECT_GT(coarse.bars.size(), 400u);
  const auto before = busy_time(whole), after = busy_time(coarse);
  for (const auto& [lane, busy] : before) EXPECT_NEAR(after.at(lane), busy, 1e-6 * busy);
  for (const TimelineBar& bar : coarse.bars) EXPECT_LE(bar.busy, 1.0);
}

TEST(Timeline, ForeignTextIsTheUsersMistake) {
  EXPECT_THROW(read_timeline("{}", "trace.json"), UserError);
  EXPECT_THROW(read_timeline("nothing", "trace.json"), UserError);
  EXPECT_THROW(read_timeline(R"({"traceEvents":[{"ph":"X","pid":1,"tid":1}]})", "trace.json"), UserError);
}

}  // namespace
}  // namespace tilewright
