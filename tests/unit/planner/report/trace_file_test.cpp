#include "planner/report/run/trace_file.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

namespace tilewright {
namespace {

using Json = nlohmann::json;
const std::vector<std::string> kOperators{"none", "conv \"1\""};

std::map<std::pair<int, int>, std::string> thread_names(const Json& trace) {
  std::map<std::pair<int, int>, std::string> names;
  for (const Json& event : trace["traceEvents"])
    if (event["name"] == "thread_name") names[{event["pid"], event["tid"]}] = event["args"]["name"];
  return names;
}

std::vector<Json> spans(const Json& trace) {
  std::vector<Json> found;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X") found.push_back(event);
  return found;
}

TEST(Trace, KeepsEveryPicosecond) {
  EXPECT_EQ(trace_microseconds(0), "0.000000");
  EXPECT_EQ(trace_microseconds(1), "0.000001");
  EXPECT_EQ(trace_microseconds(9'007'199'254'740'993), "9007199254.740993");  // 2^53 + 1: no double holds it
}

TEST(Trace, EmptyIsStillJson) { EXPECT_TRUE(Json::parse(TraceRecorder().to_json(kOperators))["traceEvents"].empty()); }

TEST(Trace, GivesEveryUnitItsLane) {
  TraceRecorder recorder;
  recorder.span("core 10/matmul", "matmul", 0, 5, 1);
  recorder.span("core 9/matmul", "matmul", 0, 5, 1);
  recorder.span("core 9/load", "load", 5, 9, 0);
  const Json trace = Json::parse(recorder.to_json(kOperators));
  EXPECT_EQ(thread_names(trace).size(), 3u);
  std::vector<std::string> processes;
  for (const Json& event : trace["traceEvents"])
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
  EXPECT_THAT(processes, testing::ElementsAre("core 9", "core 10"));
  EXPECT_EQ(spans(trace)[0]["args"]["operator"], "conv \"1\"");
}

TEST(Trace, SpansOfOneLaneNeverOverlap) {
  TraceRecorder recorder;
  recorder.span("core 0/load", "load", 0, 10, 0);
  recorder.span("core 0/load", "load", 4, 12, 0);
  recorder.span("core 0/load", "load", 14, 15, 0);
  const Json trace = Json::parse(recorder.to_json(kOperators));
  EXPECT_EQ(thread_names(trace).size(), 1u);
  const std::vector<Json> drawn = spans(trace);
  ASSERT_EQ(drawn.size(), 3u);
  EXPECT_DOUBLE_EQ(drawn[1]["ts"], 10e-6);
  EXPECT_DOUBLE_EQ(drawn[1]["dur"], 2e-6);
  EXPECT_DOUBLE_EQ(drawn[1]["args"]["started_us"], 4e-6);
  EXPECT_DOUBLE_EQ(drawn[2]["ts"], 14e-6);
}

}  // namespace
}  // namespace tilewright
