// The whole search on a small network: parts, orders that run and compute the same, results without regard to workers.
#include "planner/search/order/schedule.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>

#include "planner/estimate/program_time.h"
#include "planner/estimate/queue_model/queue_model.h"
#include "planner/import/import.h"
#include "planner/ir/memory_sharing.h"
#include "planner/measure/measure.h"
#include "planner/report/run/schedule_text.h"
#include "planner/search/order/order_file.h"
#include "planner/search/tiling/plan_network.h"
#include "sim/isa/binary.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

SchedulePart two_blocks(const char* chip_file = "dual_cluster_cache.yaml") {
  const Graph graph = import_workload(TILEWRIGHT_SOURCE_DIR "/traces/two_blocks.yaml");
  return whole_part(graph, chip({chip_file}), {.group = Grouping::kNone});
}

Bytes total_memory(const Plan& plan) {
  Bytes bytes = 0;
  for (const Segment& segment : plan.program.segments) bytes += segment.bytes;
  return bytes;
}

TEST(SchedulePart, EqualBlocksHaveEqualProgramsOfTheirOwn) {
  const SchedulePart whole = two_blocks();
  EXPECT_THAT(key_nodes(whole.dag), testing::ElementsAre(5, 11));
  const auto parts = sub_graphs(whole.dag, {.min_nodes = 1});
  ASSERT_EQ(parts.size(), 2u);
  const SchedulePart second = sub_part(whole, parts[1]);
  EXPECT_EQ(second.dag.next, sub_part(whole, parts[0]).dag.next);
  EXPECT_EQ(second.tiled.graph.operators().size(), 6u);
  EXPECT_EQ(second.tiled.operators[0].split.items.size(), whole.tiled.operators[6].split.items.size());
  expect_values(plan_in_order(second, {3, 2, 0, 1, 4, 5}));
}

TEST(SchedulePart, EveryOrderComputesTheSame) {
  const SchedulePart whole = two_blocks();
  const OrderCounter counter(whole.dag);
  RandomSource random(5);
  for (int i = 0; i < 4; ++i) expect_values(plan_in_order(whole, counter.sample(random)));
}

// What `schedule` measured and `run --order` runs is one program: choices are made before the order is known.
TEST(ScheduleSlow, ARunInAnOrderIsTheProgramThatWasMeasuredInIt) {
  const Graph graph = import_workload(TILEWRIGHT_SOURCE_DIR "/traces/two_blocks.yaml");
  RandomSource random(11);
  for (const char* file : {"edge_single.yaml", "dual_cluster_cache.yaml", "quad_numa.yaml"}) {
    const Hardware hardware = chip({file});
    const SchedulePart whole = whole_part(graph, hardware, {});
    const OrderCounter counter(whole.dag);
    for (int i = 0; i < 3; ++i) {
      const NodeOrder order = counter.sample(random);
      const Plan run = plan_network(graph, hardware, {.order = labels_of(whole, order)});
      EXPECT_EQ(hash_of(run.program), hash_of(plan_in_order(whole, order).program)) << file;
    }
  }
}

// Caches of clusters hold lines of what lay in the memory before.
TEST(SchedulePart, TensorsThatShareMemoryKeepTheirValuesOnTheSimulatedChip) {
  const Graph graph = import_workload(TILEWRIGHT_SOURCE_DIR "/traces/two_blocks.yaml");
  std::vector<SchedulePart> parts;
  std::vector<std::unique_ptr<Session>> sessions;  // all are made before the first one runs
  for (const char* file : {"dual_cluster_cache.yaml", "quad_numa_cache.yaml"}) {
    parts.push_back(whole_part(graph, chip({file}), {.stores = StoreChoice{}, .share_memory = true}));
    sessions.push_back(std::make_unique<Session>(parts.back().tiled.hardware));
  }
  RandomSource random(7);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (int run = 0; run < 3; ++run) {
      const Plan plan = plan_in_order(parts[i], OrderCounter(parts[i].dag).sample(random));
      EXPECT_THAT(tensors_sharing_memory(plan), testing::Contains(true));
      const CheckReport report = compare_values(plan, measure(*sessions[i], plan, value_run(plan, 1)).result.kept);
      EXPECT_TRUE(report.passed());
      EXPECT_GE(report.operators.size(), 1u);
    }
}

TEST(Schedule, OrdersWithoutRoomAreRejectedWithTheirReason) {
  Hardware small = chip({"edge_single.yaml"});
  const Graph graph = import_workload(TILEWRIGHT_SOURCE_DIR "/traces/two_blocks.yaml");
  const SchedulePart roomy = whole_part(graph, small, {.group = Grouping::kNone, .share_memory = true});
  Bytes least = std::numeric_limits<Bytes>::max(), most = 0;
  OrderCounter counter(roomy.dag);
  RandomSource random(3);
  for (int i = 0; i < 20; ++i) {
    const Bytes taken = total_memory(plan_in_order(roomy, counter.sample(random)));
    least = std::min(least, taken);
    most = std::max(most, taken);
  }
  ASSERT_LT(least, most);
  small.dram.channel_capacity = (least + most) / 2 / small.dram.channels;
  // The same orders once more, of the whole graph.
  const Schedule schedule = find_schedule(whole_part(graph, small, {.group = Grouping::kNone}),
                                          {.strategy = OrderStrategy::kRandom,
                                           .parts = {.min_nodes = 12, .most_orders = 1000},
                                           .budget = 20,
                                           .seed = 3,
                                           .jobs = 2});
  int rejected = 0;
  for (const TimedOrder& timed : schedule.parts[0].timed)
    if (!timed.time.ok()) {
      ++rejected;
      EXPECT_THAT(timed.time.rejected, testing::HasSubstr("no room in DRAM for"));
    }
  EXPECT_GT(rejected, 0);
  EXPECT_TRUE(schedule.linked.time.ok());
}

TEST(ScheduleSlow, DoesNotDependOnTheWorkers) {
  const SchedulePart whole = two_blocks();
  ScheduleOptions options{.strategy = OrderStrategy::kMcts, .parts = {.min_nodes = 1}, .budget = 12};
  const Schedule one = find_schedule(whole, options);
  options.jobs = 3;
  const Schedule three = find_schedule(whole, options);
  EXPECT_EQ(one.best.order, three.best.order);
  EXPECT_EQ(one.measurements(), three.measurements());
  EXPECT_EQ(one.best.time.cycles, three.best.time.cycles);
  EXPECT_EQ(to_dot(whole, one), to_dot(whole, three));
}

TEST(Schedule, TimesEveryOrderOfAPartOnce) {
  const SchedulePart whole = two_blocks();
  const Schedule schedule =
      find_schedule(whole, {.strategy = OrderStrategy::kAll, .parts = {.min_nodes = 1}, .budget = 100, .jobs = 2});
  ASSERT_EQ(schedule.parts.size(), 2u);
  const PartSchedule& part = schedule.parts[0];
  EXPECT_EQ(*part.orders, 15);
  EXPECT_TRUE(part.exhausted);
  EXPECT_EQ(part.timed.size(), 15u);
  for (const TimedOrder& timed : part.timed) {
    EXPECT_GE(timed.time.cycles, part.best_order().time.cycles);
    EXPECT_LE(timed.time.cycles, part.timed[part.worst].time.cycles);
  }
  EXPECT_LE(schedule.linked.time.cycles, schedule.imported.time.cycles);
}

// Two blocks of six operators, each cut into parts that no key node separates.
const PartRules kCut{.min_nodes = 1, .most_orders = 1, .most_nodes = 4};

TEST(ScheduleBudgetSlow, IsOneForAllPartsWithoutKeyNodes) {
  const SchedulePart whole = two_blocks();
  for (const OrderStrategy strategy : {OrderStrategy::kAll, OrderStrategy::kRandom, OrderStrategy::kMcts})
    for (const int budget : {1, 2, 3, 7, 12}) {
      const Schedule schedule = find_schedule(whole, {.strategy = strategy, .parts = kCut, .budget = budget});
      ASSERT_GE(schedule.parts.size(), 4u);
      EXPECT_TRUE(schedule.shares_runs());
      EXPECT_LE(schedule.linked_orders(), budget);
      EXPECT_GE(schedule.linked_orders(), std::min(budget, 7)) << "there are orders enough";
      EXPECT_EQ(schedule.measurements(), static_cast<std::size_t>(schedule.linked_orders())) << "nothing runs beside";
      EXPECT_LE(schedule.linked.time.cycles, schedule.imported.time.cycles);
      EXPECT_GE(schedule.worst.time.cycles, schedule.imported.time.cycles);
      for (const PartSchedule& part : schedule.parts)
        EXPECT_LE(std::ssize(part.timed), 1 + budget) << "the one as imported, and one a run at most";
    }
}

// Blocks, each two products of what the one before made, a softmax of one along this dimension, and their sum.
Graph softmax_blocks(const std::vector<std::int64_t>& axes) {
  Graph graph;
  TensorId x = add_tensor(graph, "x", {64, 128}, TensorKind::kInput);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string block = "block" + std::to_string(i);
    const TensorId a = add_tensor(graph, block + ".a", {128, 128}, TensorKind::kConstant);
    const TensorId b = add_tensor(graph, block + ".b", {128, 128}, TensorKind::kConstant);
    const TensorId scores = add_op(graph, block + ".scores", OpKind::kMatMul, {x, a}, {}, TensorKind::kHidden);
    const TensorId shares =
        add_op(graph, block + ".shares", OpKind::kSoftmax, {scores}, {.axis = axes[i]}, TensorKind::kHidden);
    const TensorId values = add_op(graph, block + ".values", OpKind::kMatMul, {x, b}, {}, TensorKind::kHidden);
    const bool last = i + 1 == axes.size();
    x = add_op(graph, block, OpKind::kAdd, {shares, values}, {}, last ? TensorKind::kOutput : TensorKind::kHidden);
  }
  return graph;
}

TEST(Schedule, TimesPartsAloneWhereHalfOfThemComeAgain) {
  const Hardware hardware = chip({"dual_cluster_cache.yaml"});
  for (const bool estimate_only : {false, true}) {
    const ScheduleOptions options{
        .strategy = OrderStrategy::kRandom, .parts = {.min_nodes = 1}, .budget = 5, .estimate_only = estimate_only};
    const auto schedule = [&](const std::vector<std::int64_t>& axes) {
      return find_schedule(whole_part(softmax_blocks(axes), hardware, {.group = Grouping::kNone}), options);
    };
    const Schedule alone = schedule({1, 1, 0, 0});
    ASSERT_EQ(alone.parts.size(), 4u);
    EXPECT_FALSE(alone.shares_runs());
    EXPECT_EQ(alone.parts[1].same_as, 0);
    EXPECT_EQ(alone.parts[3].same_as, 2);
    EXPECT_EQ(alone.measurements(), alone.parts[0].timed.size() + alone.parts[2].timed.size() + alone.linked_orders());
    EXPECT_LE(alone.linked.time.cycles, alone.best.time.cycles);
    EXPECT_LE(alone.linked.time.cycles, alone.imported.time.cycles);

    const Schedule shared = schedule({1, 1, 0});
    ASSERT_EQ(shared.parts.size(), 3u);
    for (const PartSchedule& part : shared.parts) EXPECT_TRUE(part.shares_runs);
    EXPECT_EQ(shared.measurements(), 5u);
    EXPECT_EQ(shared.linked_orders(), 5);
  }
}

TEST(ScheduleBudget, OfOneRunsTheNetworkAsImported) {
  const SchedulePart whole = two_blocks();
  const Schedule schedule = find_schedule(whole, {.strategy = OrderStrategy::kBeam, .parts = kCut, .budget = 1});
  EXPECT_EQ(schedule.linked.order, imported_order(whole.dag));
  EXPECT_EQ(schedule.predictions(), 0);
}

// Cut parts have fewer orders than the budget: the search ends when all have been tried and nothing is left to link.
TEST(ScheduleBudget, NeedNotBeSpent) {
  const Schedule schedule =
      find_schedule(two_blocks(), {.strategy = OrderStrategy::kAll, .parts = kCut, .budget = 500});
  EXPECT_LT(schedule.linked_orders(), 100);
  for (const PartSchedule& part : schedule.parts) {
    EXPECT_TRUE(part.exhausted);
    EXPECT_EQ(*part.orders, part.timed.size());
  }
}

TEST(ScheduleBudgetSlow, FindsOrdersThatComputeTheSameForAnyNumberOfWorkers) {
  const SchedulePart whole = two_blocks("quad_smp.yaml");
  ScheduleOptions options{.strategy = OrderStrategy::kBeam, .parts = kCut, .budget = 12};
  const Schedule one = find_schedule(whole, options);
  options.jobs = 3;
  const Schedule three = find_schedule(whole, options);
  EXPECT_EQ(schedule_csv(whole, one), schedule_csv(whole, three));
  EXPECT_EQ(to_dot(whole, one), to_dot(whole, three));
  const Plan plan = plan_in_order(whole, one.linked.order);
  expect_values(plan);
  Session session(plan.hardware);
  EXPECT_EQ(measure(session, plan).cycles, one.linked.time.cycles);
}

// In both ways of timing: parts by themselves, and in runs of the network.
TEST(ScheduleLimitsSlow, EndWithTheFirstNetworkThatIsFastEnough) {
  const SchedulePart whole = two_blocks();
  for (const PartRules& parts : {PartRules{.min_nodes = 1}, kCut}) {
    ScheduleOptions options{.strategy = OrderStrategy::kRandom, .parts = parts, .budget = 40};
    const Schedule all = find_schedule(whole, options);
    options.stop_below = all.linked.time.cycles + 1;
    const Schedule best = find_schedule(whole, options);
    EXPECT_LT(best.linked.time.cycles, options.stop_below);
    options.stop_below = all.imported.time.cycles + 1;
    const Schedule first = find_schedule(whole, options);
    EXPECT_LT(first.linked.time.cycles, options.stop_below);
    EXPECT_LT(first.measurements(), all.measurements());
  }
}

TEST(ScheduleLimitsSlow, ChooseTheFastestOrderThatNeedsNoMoreMemory) {
  const Graph graph = import_workload(TILEWRIGHT_SOURCE_DIR "/traces/two_blocks.yaml");
  const SchedulePart whole = whole_part(graph, chip({"quad_smp.yaml"}), {});
  ScheduleOptions options{.strategy = OrderStrategy::kAll, .budget = 12, .least_memory = true};
  const Schedule any = find_schedule(whole, options);
  ASSERT_TRUE(any.least_memory);
  const auto best = any.best_by_memory();
  ASSERT_GT(best.size(), 1u);
  EXPECT_EQ(best.back().time.peak_memory, any.least_memory->peak);
  EXPECT_EQ(best.front().time.cycles, any.linked.time.cycles);
  options.most_memory = best.front().time.peak_memory - 1;
  const Schedule small = find_schedule(whole, options);
  EXPECT_LE(small.linked.time.peak_memory, options.most_memory);
  EXPECT_GT(small.linked.time.cycles, any.linked.time.cycles);
  options.most_memory = any.least_memory->peak;
  EXPECT_EQ(find_schedule(whole, options).linked.time.peak_memory, options.most_memory);
  options.most_memory = any.least_memory->peak - 1;
  EXPECT_THROW(find_schedule(whole, options), UserError);
}

// Its times are the queue model's, and nothing says that they were measured.
TEST(ScheduleEstimate, OnlyChoosesByPredictionsAndSaysSo) {
  const SchedulePart whole = two_blocks();
  for (const PartRules& rules : {PartRules{.min_nodes = 1}, kCut}) {
    ScheduleOptions options{.parts = rules, .budget = 6, .estimate_only = true};
    const Schedule schedule = find_schedule(whole, options);
    EXPECT_TRUE(schedule.predicted);
    EXPECT_TRUE(schedule.shares_runs()) << "the queue model says when an operator ends";
    EXPECT_GT(schedule.predictions(), 0) << "T1 and T2 choose what the queue model looks at";
    const Plan plan = plan_in_order(whole, schedule.linked.order);
    EXPECT_EQ(schedule.linked.time.cycles,
              static_cast<Cycles>(std::ceil(queue_model_cycles(plan.hardware, plan.program))));
    EXPECT_LE(schedule.linked.time.cycles, schedule.imported.time.cycles);
    EXPECT_THAT(schedule_text(whole, schedule, options),
                testing::AllOf(testing::HasSubstr("nothing was measured"), testing::HasSubstr("cycles predicted"),
                               testing::Not(testing::HasSubstr("measurements"))));
    EXPECT_THAT(schedule_csv(whole, schedule), testing::HasSubstr("\nwhole chosen,0,,"));
    EXPECT_THAT(to_dot(whole, schedule), testing::Not(testing::HasSubstr("timed")));
    options.jobs = 3;
    EXPECT_EQ(schedule_csv(whole, find_schedule(whole, options)), schedule_csv(whole, schedule));
  }
}

TEST(ScheduleEstimate, BothKnowThatWorkTakesTime) {
  const SchedulePart whole = two_blocks();
  const Plan plan = plan_in_order(whole, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const TimeSums sums = time_sums(plan);
  EXPECT_GT(sums.read, 0);
  EXPECT_GT(sums.compute, 0);
  EXPECT_GT(stream_estimate(plan), 0);
  // Units that work side by side need no longer than one after the other, and each at least its own work.
  EXPECT_GE(order_estimate(plan), std::max(sums.read, sums.compute) / 2);
}

TEST(ScheduleFile, ReadsWhatItWrote) {
  const OrderFile order{"a graph", {"conv1", "a: b", "- x", "same -> \"out\"", "#no comment"}};
  const auto path = std::filesystem::temp_directory_path() / ("tilewright_order_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(path) << to_yaml(order, "12 cycles");
  const OrderFile read = read_order(path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(read.graph, order.graph);
  EXPECT_EQ(read.operators, order.operators);
}

}  // namespace
}  // namespace tilewright::test
