// How far a workload is planned for callers that use only the result of some pass.
#include "cli/workload_options.h"

#include <gmock/gmock.h>

namespace tilewright {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

WorkloadOptions two_blocks() {
  const std::string root = std::string(TILEWRIGHT_SOURCE_DIR) + "/";
  WorkloadOptions options;
  options.hardware = root + "tests/golden/chips/four_cores.yaml";
  options.workload = root + "traces/two_blocks.yaml";
  options.group = "none";
  return options;
}

// What each pass adds, one operator standing for all.
bool is_split(const Plan& plan) { return !plan.operators[plan.order.front()].split.items.empty(); }
bool is_lowered(const Plan& plan) { return !plan.operators[plan.order.front()].streams.empty(); }
bool is_linked(const Plan& plan) { return !plan.program.cores.empty(); }

TEST(WorkloadOptions, WhatIsSwitchedOffIsShownByItsName) {
  CLI::App app;
  WorkloadOptions options;
  add_workload_options(app, options);
  EXPECT_THAT(app.help(), Not(HasSubstr("{false}")));
  EXPECT_TRUE(options.overlap && options.refine);
  const WorkloadOptions files = two_blocks();
  app.parse(std::vector<std::string>{"--no-refine", files.workload, files.hardware});  // the last one first
  EXPECT_TRUE(options.overlap);
  EXPECT_FALSE(options.refine);
}

TEST(WorkloadOptions, TheFileIsNamedWithEveryPartOfItsNetwork) {
  for (const char* message : {"network 'mlp': takes about 88 requests", "operator 'fc1': no room",
                              "tensor 'x': no room", "instructions of core 0: no room in DRAM"})
    EXPECT_TRUE(is_about_the_network(message)) << message;
  for (const char* message : {"--cores: got 5", "chip.yaml:3: clusters: got '0'"})
    EXPECT_FALSE(is_about_the_network(message)) << message;
}

TEST(PlanWorkload, RunsAllPassesWhenNobodySaysWhatIsNeeded) {
  const Plan plan = plan_workload(two_blocks());
  EXPECT_TRUE(is_linked(plan));
  EXPECT_THAT(plan.packets, Not(IsEmpty()));
}

TEST(PlanWorkload, StopsBehindThePassThatIsNeeded) {
  const Plan labelled = plan_workload(two_blocks(), "label");
  EXPECT_EQ(labelled.order.size(), labelled.graph.operators().size());
  EXPECT_FALSE(is_split(labelled));
  const Plan placed = plan_workload(two_blocks(), "allocate");
  EXPECT_TRUE(is_split(placed));
  EXPECT_FALSE(is_lowered(placed));
}

TEST(PlanWorkload, FollowsAnOrderBeforeItStops) {
  WorkloadOptions options = two_blocks();
  options.order = std::string(TILEWRIGHT_SOURCE_DIR) + "/tests/golden/traces/two_blocks_order.yaml";
  const Plan whole = plan_workload(options), ordered = plan_workload(options, "label");
  EXPECT_NE(plan_workload(two_blocks()).order, whole.order);
  EXPECT_EQ(ordered.order, whole.order);
  EXPECT_FALSE(is_lowered(ordered));
  EXPECT_TRUE(is_lowered(plan_workload(options, "lower")));
}

TEST(PlanWorkload, PrintsTheSameDumpWhateverIsNeeded) {
  WorkloadOptions options = two_blocks();
  options.dump_after = "allocate";
  testing::internal::CaptureStdout();
  plan_workload(options);
  const std::string whole = testing::internal::GetCapturedStdout();
  testing::internal::CaptureStdout();
  const Plan plan = plan_workload(options, "label");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), whole);
  EXPECT_THAT(whole, HasSubstr("After allocate:"));
  EXPECT_TRUE(is_linked(plan));
}

}  // namespace
}  // namespace tilewright
