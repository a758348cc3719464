#include "sim/isa/work_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/isa/request_splitter.h"
#include "sim/session.h"
#include "tests/support/gemm_program.h"

namespace tilewright {
namespace {

using testing_support::GemmProgram;

class WorkLimitTest : public testing::Test {
 protected:
  ~WorkLimitTest() override { set_work_limit({}); }

  std::string refusal() {
    try {
      check_work("gemm", estimated_requests(program_, hardware_));
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const Hardware hardware_ = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/edge_single.yaml");
  const Program program_ = GemmProgram(hardware_, {}).make();
};

TEST_F(WorkLimitTest, ALoadMakesARequestForEachPieceOfARun) {
  Program program;
  Transfer load;
  load.shape = {1, 1, 1, 3, 300};  // three rows of 600 bytes in requests of at most 128
  load.source = {Space::kDram, 0, {0, 0, 0, 4096, 2}};
  load.target = {Space::kBufferA, 0, {0, 0, 0, 600, 2}};
  program.cores.push_back({{{Unit::kLoad, 0, {}, {}, load}}, 0});
  ASSERT_EQ(dram_request_limits(hardware_).request_bytes, 128);
  EXPECT_EQ(estimated_requests(program, hardware_), 1 + 3 * 5);
}

TEST_F(WorkLimitTest, TheEstimateIsNearWhatHappens) {
  Session session(hardware_);
  const RunResult result = session.run(program_);
  std::int64_t bytes = 0;
  for (const OperatorResult& op : result.operators)
    bytes += op.events[static_cast<int>(Event::kDramReadBytes)] + op.events[static_cast<int>(Event::kDramWriteBytes)];
  const double least = static_cast<double>(bytes) / static_cast<double>(dram_request_limits(hardware_).request_bytes);
  EXPECT_GE(estimated_requests(program_, hardware_), 0.9 * least);
  EXPECT_LE(estimated_requests(program_, hardware_), 4 * least);
}

TEST_F(WorkLimitTest, AsManyRequestsAsAllowedAndOneMore) {
  const double requests = estimated_requests(program_, hardware_);
  set_work_limit({.requests = requests});
  EXPECT_EQ(refusal(), "");
  set_work_limit({.requests = requests - 1});
  EXPECT_THAT(refusal(), testing::AllOf(testing::HasSubstr("gemm: takes about"), testing::HasSubstr("--max-requests")));
}

TEST_F(WorkLimitTest, AsManySecondsAsAllowedAndFewer) {
  const double seconds = estimated_seconds(estimated_requests(program_, hardware_));
  set_work_limit({.seconds = seconds});
  EXPECT_EQ(refusal(), "");
  set_work_limit({.seconds = 0.999 * seconds});
  EXPECT_THAT(refusal(), testing::HasSubstr("--max-seconds"));
}

TEST_F(WorkLimitTest, ASessionRefusesBeforeAnythingRuns) {
  Session session(hardware_);
  set_work_limit({.requests = 10});
  EXPECT_THROW(session.run(program_), UserError);
}

}  // namespace
}  // namespace tilewright
