// The planner's last choice of a tiling, and networks planned with it: never predicted slower than without it, faster
// when measured where the refined formulas are far from a search, and groups stay what they are.
#include "planner/search/tiling/predicted_tiling.h"

#include <gtest/gtest.h>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/import/import.h"
#include "planner/ir/group.h"
#include "planner/ir/reduction_ranges.h"
#include "planner/search/study/study.h"
#include "planner/search/tiling/plan_network.h"
#include "planner/search/tiling/predicted_splits.h"
#include "planner/search/tiling/tiling_network.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Hardware shipped(const char* name) {
  return load_hardware(fmt::format("{}/hw_configs/{}.yaml", TILEWRIGHT_SOURCE_DIR, name));
}

// A chip of scripts/random_chips.py on which refining a tiling by formulas is no gain.
Hardware wide_output_stationary() {
  Hardware hardware = shipped("edge_single");
  hardware.core.buffer_a = 1344 << 10, hardware.core.buffer_b = 106 << 10, hardware.core.accumulator = 316 << 10;
  hardware.core.matmul.rows = 128, hardware.core.matmul.columns = 16;
  hardware.core.matmul.dataflow = Dataflow::kOutputStationary;
  hardware.core.dma.outstanding_requests = 32;
  return hardware;
}

// Two more, as they were drawn, of one core: what they have in common, and lines of `core` and figures of their own.
Hardware drawn(const std::string& core, const std::string& network, const std::string& interleave_bytes) {
  const std::string text = "name: drawn\nclusters: 1\ncores_per_cluster: 1\ncore:" + core + R"(
  dma: {setup_cycles: 16, outstanding_requests: 64, request_bytes: 128, buffer_bytes_per_cycle: 64}
  control: {signal_cycles: 20, launch_cycles: 50}
network: {frequency_mhz: 1000, ports_per_cluster: 1, )" +
                           network + R"(}
dram: {preset: DDR4_1600J, channels: 8, channel_capacity_mib: 64, interleave_hash: true, controller_clocks: 20, )" +
                           "interleave_bytes: " + interleave_bytes + "}\n";
  return load_hardware_text(text, "drawn");
}

// Here the formulas' tiling is the best there is.
Hardware flat_output_stationary() {
  return drawn(R"(
  frequency_mhz: 940
  buffer_a_kib: 112
  buffer_b_kib: 22
  accumulator_kib: 237
  matmul: {rows: 64, columns: 32, dataflow: output_stationary, issue_cycles: 0}
  vector: {lanes: 32, issue_cycles: 0})",
               "topology: simple, flit_bytes: 32", "128");
}

// Here tiles have to be smaller than expected, so that stores of more of them overlap.
Hardware small_accumulator() {
  return drawn(R"(
  frequency_mhz: 500
  buffer_a_kib: 1191
  buffer_b_kib: 59
  accumulator_kib: 18
  matmul: {rows: 16, columns: 64, dataflow: weight_stationary, issue_cycles: 0}
  vector: {lanes: 64, issue_cycles: 0})",
               "topology: numa, flit_bytes: 64, channels_per_router: 8", "256");
}

TilingOperator product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return tiling_operator({.dims = {1, m, n, k}});
}

double predicted(const Plan& plan) { return queue_model_cycles(plan.hardware, plan.program); }

// As the search of a tiling predicts.
double roughly(const Plan& plan) {
  return queue_model_run(plan.hardware, plan.program, RouterBuffers::kUnlimited).cycles;
}

Plan plan_of(const TilingOperator& op, const Hardware& hardware, const TriedPoint& point) {
  return make_plan(op.graph, hardware, options_of(op, hardware, point));
}

TEST(PredictedTiling, IsNeverPredictedSlowerThanTheRefinedFormulas) {
  for (const Hardware& hardware : {shipped("edge_single"), shipped("quad_smp"), wide_output_stationary()})
    for (const TilingOperator& op : {product(96, 64, 128), product(33, 200, 64), product(130, 48, 70)}) {
      const TriedPoint chosen = predicted_tiling(hardware, op);
      EXPECT_LE(roughly(plan_of(op, hardware, chosen)), roughly(plan_of(op, hardware, {})))
          << hardware.name << " " << op.key;
      EXPECT_EQ(to_string(chosen), to_string(predicted_tiling(hardware, op)));
    }
}

// A sum so long that one core is as fast as two: it has the tiling that it would have by itself.
TEST(TilingsOnFewerCores, AreAsGoodAsThoseOfTheOnlyCore) {
  Session session(shipped("dual_cluster"));
  const TilingOperator op = product(24, 20, 9000);
  const auto cycles = [&](int cores) {
    PlanOptions options{.type = op.type};
    options.cores = cores;
    return measure_network(session, op.graph, options).cycles;
  };
  EXPECT_LE(cycles(2), cycles(1));
}

// Half of the cores read the same rows, which lie in several memories.
TEST(PredictedSplits, RowsAreBegunApartWhereThatIsFaster) {
  Session session(shipped("quad_numa"));
  const TilingOperator op = product(144, 481, 85);
  const Plan chosen = plan_network(op.graph, session.hardware(), {.type = op.type});
  PlanOptions in_step = chosen.options;
  ASSERT_EQ(in_step.choices.size(), 1u);
  for (Tiling& tiling : in_step.choices[0].tilings) {
    EXPECT_TRUE(tiling.rows_apart);
    tiling.rows_apart = false;
  }
  EXPECT_LT(measure(session, chosen).cycles, measure(session, make_plan(op.graph, session.hardware(), in_step)).cycles);
}

// Few rows and columns of long sums: 16 cores that read all of one operand each have more to load than what they add
// up.
TEST(PredictedSums, AreCutWhereThatIsFaster) {
  Session session(shipped("quad_numa"));
  const TilingOperator op = product(64, 192, 2304);
  PlanOptions whole{.type = op.type};
  whole.choices = {{.op = op.op, .sums = 1}};
  const Plan chosen = plan_network(op.graph, session.hardware(), {.type = op.type});
  EXPECT_GT(std::ssize(reduction_ranges(chosen, op.op)), 1);
  EXPECT_LT(measure(session, chosen).cycles, measure(session, make_plan(op.graph, session.hardware(), whole)).cycles);
}

TEST(FasterChoices, ThoseThatGainMostComeFirst) {
  const TilingOperator op = product(64, 64, 64);
  Plan plan;
  std::vector<FasterChoice> choices;
  for (const double gain : {10.0, 30.0, 20.0}) {
    const auto id = static_cast<OperatorId>(choices.size());
    choices.push_back({{op, {id}}, {.op = id, .sums = 2}, gain});
  }
  const auto chosen = [&](std::size_t most) {
    std::vector<OperatorId> ids;
    for (const OperatorChoice& choice : with_fastest(plan, choices, most).choices) ids.push_back(choice.op);
    return ids;
  };
  EXPECT_EQ(chosen(1), (std::vector<OperatorId>{1}));
  EXPECT_EQ(chosen(2), (std::vector<OperatorId>{1, 2}));
  EXPECT_EQ(chosen(9), (std::vector<OperatorId>{1, 2, 0}));
  EXPECT_EQ(promised(choices, 2), 50);
  EXPECT_EQ(promised(choices, 9), 60);
}

TEST(PredictedTiling, IsFasterWhenMeasured) {
  Session session(wide_output_stationary());
  const TilingOperator op = product(96, 64, 128);
  const PointCost refined = measure_point(session, op, {});
  const PointCost chosen = measure_point(session, op, predicted_tiling(session.hardware(), op));
  EXPECT_LT(chosen.cost.value().cycles, refined.cost.value().cycles * 95 / 100);
}

// The refined tiling takes a quarter more.
TEST(PredictedTiling, IsThatOfTheFormulasWhereItIsTheFastest) {
  Session session(flat_output_stationary());
  const TilingOperator op = product(64, 568, 256);
  const PointCost formulas = measure_point(session, op, {.refine = false});
  const PointCost chosen = measure_point(session, op, predicted_tiling(session.hardware(), op));
  EXPECT_LE(chosen.cost.value().cycles, formulas.cost.value().cycles);
}

// The points of the tiles that are expected to be best take a third more than the fastest, which has other tiles.
TEST(PredictedTiling, LooksAtOtherTilesOnceThoseOfMostPromiseBringNothing) {
  Session session(small_accumulator());
  const TilingOperator op = product(80, 1656, 32);
  const PointCost refined = measure_point(session, op, {});
  const PointCost chosen = measure_point(session, op, predicted_tiling(session.hardware(), op));
  EXPECT_LT(chosen.cost.value().cycles, refined.cost.value().cycles * 3 / 4);
}

Graph attention() { return import_workload(fmt::format("{}/traces/tiny_attention.onnx", TILEWRIGHT_SOURCE_DIR)); }

// A choice for an operator of a group would take the group apart.
TEST(TilingTasks, LeaveOutWhatAGroupComputes) {
  const Plan plan = make_plan(attention(), shipped("tpu_v4_like"), {}, {.stop_after = kNeededForTasks});
  ASSERT_FALSE(plan.groups.empty());
  for (const TilingTask& task : tiling_tasks(plan))
    for (const OperatorId use : task.uses) EXPECT_EQ(group_of(plan, use), nullptr) << plan.graph.op(use).name;
}

TEST(PlanNetwork, IsNeverPredictedSlowerThanTheRefinedFormulas) {
  for (const char* name : {"tpu_v4_like", "quad_smp", "edge_single"}) {
    const Hardware hardware = shipped(name);
    EXPECT_LE(predicted(plan_network(attention(), hardware, {})), predicted(make_plan(attention(), hardware, {})));
  }
}

TEST(PlanNetwork, WithoutPredictionIsThePassesAlone) {
  const Hardware hardware = wide_output_stationary();
  const Graph graph = product(96, 64, 128).graph;
  const auto tile = [&](const PlanOptions& options) {
    return plan_network(graph, hardware, options).operators[0].tilings.at(0).tile_m;
  };
  const auto by_passes = make_plan(graph, hardware, {}).operators[0].tilings.at(0).tile_m;
  EXPECT_EQ(tile({.predict = false}), by_passes);
  EXPECT_NE(tile({}), by_passes);
}

// On a chip of so many clusters of the core above, one of which computes.
std::int64_t rows_of_a_tile(int clusters, const PlanOptions& options) {
  const std::string core = to_yaml(wide_output_stationary());
  const Hardware hardware = load_hardware_text(apply_settings(core, {{"clusters", std::to_string(clusters)}}), "large");
  return plan_network(product(96, 64, 128).graph, hardware, options).operators[0].tilings.at(0).tile_m;
}

TEST(PlanNetwork, IsThePassesAloneBeyondSoManyCores) {
  const std::int64_t by_passes = rows_of_a_tile(513, {.cores = 1, .predict = false});
  EXPECT_NE(rows_of_a_tile(512, {.cores = 1}), by_passes);
  EXPECT_EQ(rows_of_a_tile(513, {.cores = 1}), by_passes);
}

// What is chosen keeps to the cores that the plan may use; a search of all of them found 16 parts here.
TEST(PlanNetwork, KeepsToTheCoresAskedFor) {
  const Hardware hardware = shipped("quad_smp");
  for (const int cores : {1, 3, 6}) {
    const Plan plan = plan_network(product(200, 300, 130).graph, hardware, {.cores = cores});
    for (const WorkItem& item : plan.operators[0].split.items) EXPECT_LT(item.core, cores);
  }
}

// What is cut otherwise lies otherwise, and has no room here beside 1.25 MiB of 2; that is no fault of the network.
TEST(PlanNetwork, TakesNoChoiceThatHasNoRoom) {
  const Graph graph = wide_between(1024, 64, 1024, 64, 0);
  const Hardware small = load_hardware_text(
      apply_settings(read_text_file(TILEWRIGHT_SOURCE_DIR "/hw_configs/quad_numa.yaml"),
                     {{"dram.channels", "2"}, {"dram.regions", "2"}, {"dram.channel_capacity_mib", "1"}}),
      "small");
  const Plan plan = plan_network(graph, small, {.type = DataType::kFp32, .group = Grouping::kNone});
  EXPECT_GT(plan.options.program_memory, 0);
  expect_values(plan);
}

TEST(TuneNetwork, KeepsToTheCoresAskedFor) {
  const Plan tuned = tuned_plan(product(200, 300, 130).graph, shipped("quad_smp"), {.cores = 3}, {.budget = 4}, 1);
  for (const WorkItem& item : tuned.operators[0].split.items) EXPECT_LT(item.core, 3);
}

}  // namespace
}  // namespace tilewright::test
