// Partial results: the tree that adds them up, where they wait, which signals they cost, and the sums.
#include "planner/passes/reduce_partials/reduce_partials.h"

#include <gmock/gmock.h>

#include "planner/ir/label_check.h"
#include "planner/ir/partials.h"
#include "tests/support/chip_text.h"
#include "tests/support/reductions.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

// 1 x 1024 by 1024 x 4, cut along the sum: the method's example.
Graph fully_connected(std::int64_t rows = 1) {
  Graph graph;
  const TensorId i = add_tensor(graph, "I", {rows, 1024}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "W", {1024, 4}, TensorKind::kConstant);
  add_op(graph, "fc", OpKind::kMatMul, {i, w});
  return graph;
}

Plan example(const char* file, Parallel mode = Parallel::kModel, std::int64_t rows = 1,
             Reduction reduction = Reduction::kClusters) {
  PlanOptions options{.type = DataType::kFp16};
  options.parallel = mode;
  options.strategies = reduced_by(reduction);
  return make_plan(fully_connected(rows), chip({file}), options);
}

struct Flags {
  int signals = 0, waits = 0;
  bool operator==(const Flags&) const = default;
};

// Flags of partial results that a core sets and waits for.
Flags partial_flags(const Plan& plan, int core) {
  Flags flags;
  for (const Instruction& instruction : plan.program.cores[core].instructions) {
    if (const auto* signal = std::get_if<Signal>(&instruction.payload)) flags.signals += signal->flag >= kPartialFlags;
    if (const auto* wait = std::get_if<Wait>(&instruction.payload)) flags.waits += wait->flag >= kPartialFlags;
  }
  return flags;
}

const PartialPlan::Share& only_share(const Plan& plan, int item) {
  EXPECT_EQ(plan.operators[0].partials.at(item).shares.size(), 1u);
  return plan.operators[0].partials[item].shares.front();
}

void expect_tree(const Plan& plan) {
  ASSERT_EQ(plan.operators[0].partials.size(), 4u);
  EXPECT_EQ(only_share(plan, 0).parent, -1);
  EXPECT_EQ(only_share(plan, 0).children, (std::vector<int>{1, 2}));
  EXPECT_EQ(only_share(plan, 1).parent, 0);
  EXPECT_EQ(only_share(plan, 2).parent, 0);
  EXPECT_EQ(only_share(plan, 2).children, (std::vector<int>{3}));
  EXPECT_EQ(only_share(plan, 3).parent, 2);
  for (int core = 0; core < 4; ++core)
    EXPECT_EQ(partial_flags(plan, core), (Flags{core > 0, static_cast<int>(only_share(plan, core).children.size())}));
}

// Bytes of fp32 that a core reads of and writes to the memory of a cluster, its own or another one, and DRAM.
struct SumTraffic {
  Bytes own = 0, other = 0, dram = 0;
  bool operator==(const SumTraffic&) const = default;
};

SumTraffic sum_traffic(const Plan& plan, int core) {
  SumTraffic traffic;
  for (const Instruction& instruction : plan.program.cores[core].instructions) {
    const auto* transfer = std::get_if<Transfer>(&instruction.payload);
    if (transfer == nullptr || transfer->type != DataType::kFp32) continue;
    const Box& memory = transfer->kind == TransferKind::kLoad ? transfer->source : transfer->target;
    const Bytes bytes = transfer->shape[kBoxDims - 1] * bytes_of(transfer->type);
    (memory.space == Space::kDram ? traffic.dram : memory.owner == kOwnMemory ? traffic.own : traffic.other) += bytes;
  }
  return traffic;
}

// The method's first example: core 1 reads O2 from its cluster's memory and O6 from cluster memory 2, core 3 leaves O6
// in its own after it has read O4 there; nothing goes to DRAM but the result.
TEST(ReducePartials, InClusterMemory) {
  const Plan plan = example("label_example_cache.yaml");
  expect_tree(plan);
  const auto& partials = plan.operators[0].partials;
  for (const int part : {1, 2, 3}) EXPECT_EQ(partials[part].place.cluster, part / 2) << part;
  EXPECT_EQ(sum_traffic(plan, 0), (SumTraffic{.own = 16, .other = 16}));
  EXPECT_EQ(sum_traffic(plan, 1), (SumTraffic{.own = 16}));
  EXPECT_EQ(sum_traffic(plan, 2), (SumTraffic{.own = 32}));
  EXPECT_EQ(sum_traffic(plan, 3), (SumTraffic{.own = 16}));
  expect_values(plan);
}

TEST(ReducePartials, ThroughMemoryWhereClustersHaveNone) {
  const Plan plan = example("label_example.yaml");
  expect_tree(plan);
  const auto& partials = plan.operators[0].partials;
  for (const int part : {1, 2, 3}) EXPECT_TRUE(partials[part].place.in_dram()) << part;
  for (const int part : {1, 2, 3}) EXPECT_EQ(partials[part].place.region, part / 2) << part;
  expect_values(plan);
}

// Sixteen cores: a binary tree adds up in two steps inside every cluster, then in two between them.
TEST(ReducePartials, ByBinaryTrees) {
  const Plan plan = example("quad_numa_cache.yaml", Parallel::kModel, 3, Reduction::kTree);
  ASSERT_EQ(plan.operators[0].partials.size(), 16u);
  EXPECT_EQ(only_share(plan, 0).children, (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(only_share(plan, 2).children, (std::vector<int>{3}));
  EXPECT_EQ(only_share(plan, 8).children, (std::vector<int>{9, 10, 12}));
  EXPECT_EQ(only_share(plan, 12).parent, 8);
  expect_values(plan);
}

// Every core finishes a share: it stores an n-th of the result, and hands on all other shares.
TEST(ReducePartials, RoundARingOrByShares) {
  for (const Reduction reduction : {Reduction::kRing, Reduction::kScatter})
    for (const char* file : {"label_example.yaml", "label_example_cache.yaml"}) {
      const Plan plan = example(file, Parallel::kModel, 12, reduction);
      for (int core = 0; core < 4; ++core) {
        const PartialPlan& partial = plan.operators[0].partials[core];
        ASSERT_EQ(partial.shares.size(), 4u);
        EXPECT_EQ(partial.shares.back().number, core);
        EXPECT_EQ(partial.shares.back().parent, -1);
        EXPECT_EQ(handed_on(partial), partial.bytes * 3 / 4);
        EXPECT_EQ(partial_flags(plan, core), (Flags{3, 3}));
      }
      const std::size_t children = reduction == Reduction::kRing ? 1 : 3;
      EXPECT_EQ(plan.operators[0].partials[2].shares.back().children.size(), children);
      expect_values(plan);
    }
}

// Tiles of fewer rows than cores: some of them have nothing to finish.
TEST(ReducePartials, SharesOfFewRowsAreEmpty) {
  for (const Reduction reduction : {Reduction::kRing, Reduction::kScatter})
    for (const std::int64_t rows : {1, 3})
      expect_values(example("label_example_cache.yaml", Parallel::kModel, rows, reduction));
}

// Three clusters of two cores whose network adds.
Hardware adding_chip(int addressed_ways = 8) {
  return chip_of({.name = "adders",
                  .clusters = "3",
                  .cores_per_cluster = 2,
                  .cluster_memory = fmt::format("capacity_kib: 64, ways: 16, addressed_ways: {}", addressed_ways),
                  .network =
                      "topology: mesh, columns: 2, rows: 2, channels_per_router: 1, multicast: 16, reduction: 8, "
                      "router: {buffer_flits: 16}"});
}

Plan summed_by_network(const Hardware& hardware, std::int64_t rows) {
  PlanOptions options{.type = DataType::kFp16, .parallel = Parallel::kModel};
  options.strategies = reduced_by(Reduction::kNetwork);
  return make_plan(fully_connected(rows), hardware, options);
}

// Memories that the core's sums read.
std::vector<std::int64_t> sizes_of_sums(const Plan& plan, int core) {
  std::vector<std::int64_t> sizes;
  for (const Instruction& instruction : plan.program.cores[core].instructions)
    if (const auto* transfer = std::get_if<Transfer>(&instruction.payload); transfer && transfer->sums())
      sizes.push_back(transfer->summed.size());
  return sizes;
}

// Parts with the same turn in their clusters lie at one place: of those with another turn than its own a core reads one
// sum, of the others one sum, or two partial results where its own cluster lies between theirs.
TEST(ReducePartials, AddedUpByTheNetwork) {
  const Plan plan = summed_by_network(adding_chip(), 24);
  const auto& partials = plan.operators[0].partials;
  ASSERT_EQ(partials.size(), 6u);
  const ChipMap map(plan.hardware);
  for (int item = 0; item < 6; ++item) {
    EXPECT_EQ(partials[item].place.cluster, item / 2);
    EXPECT_EQ(map.place_of(partials[item].place.address).offset, map.place_of(partials[item % 2].place.address).offset);
    EXPECT_EQ(partial_flags(plan, item), (Flags{5, 5}));
  }
  EXPECT_NE(partials[0].place.address, partials[1].place.address);
  EXPECT_EQ(sizes_of_sums(plan, 0), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(sizes_of_sums(plan, 3), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(sizes_of_sums(plan, 5), (std::vector<std::int64_t>{3, 2}));
  expect_values(plan);
}

TEST(ReducePartials, TheNetworkAddsWhereClustersHaveRoom) {
  const Hardware hardware = adding_chip(1);  // 4 KiB in each, for two parts of 16 bytes a row
  expect_values(summed_by_network(hardware, 128));
  try {
    summed_by_network(hardware, 129);
    FAIL() << "there is no room";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("more bytes than clusters have room for"));
  }
}

TEST(ReducePartials, OnAChipThatAddsTheLabelSaysIt) {
  Plan plan = summed_by_network(adding_chip(), 24);
  ASSERT_NO_THROW(expect_labels_hold(plan));
  for (CoreProgram& core : plan.program.cores)
    std::erase_if(core.instructions, [](const Instruction& instruction) {
      const auto* transfer = std::get_if<Transfer>(&instruction.payload);
      return transfer && transfer->sums();
    });
  EXPECT_THROW(expect_labels_hold(plan), InternalError);
}

// All partial results in the memory that the label names, of whichever cluster or region.
TEST(ReducePartials, InTheMemoryThatTheStoreNames) {
  const std::string text =
      "strategies:\n  - {operators: [MatMul], tensor: output_neuron, dimensions: [C], cache: {store: cluster2, swap: "
      "core}, bus: {store: mem2, swap: cluster}}\n";
  PlanOptions options{.type = DataType::kFp16};
  options.parallel = Parallel::kModel;
  options.strategies = std::make_shared<const StrategyTable>(
      default_strategies().overridden_by(read_strategies_text(text, "test.yaml")));
  for (const bool cache : {false, true}) {
    const Plan plan =
        make_plan(fully_connected(), chip({cache ? "label_example_cache.yaml" : "label_example.yaml"}), options);
    for (const int part : {1, 2, 3}) {
      const PlacedPiece& place = plan.operators[0].partials[part].place;
      EXPECT_EQ(cache ? place.cluster : place.region, 1) << part;
    }
    expect_values(plan);
  }
}

TEST(ReducePartials, WithoutSwapNothingIsSignalled) {
  const Plan plan = example("label_example_cache.yaml", Parallel::kData, 8);
  EXPECT_EQ(plan.operators[0].split.items.size(), 4u);
  EXPECT_EQ(plan.operators[0].labels.inputs[0].swap, Swap::kNo);
  EXPECT_TRUE(plan.operators[0].partials.empty());
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions) {
      EXPECT_FALSE(std::holds_alternative<Signal>(instruction.payload));
      EXPECT_FALSE(std::holds_alternative<Wait>(instruction.payload));
    }
  expect_values(plan);
}

// Batches that a part moves together: the longer range of the sum has room for fewer, and both add up the same tiles.
TEST(ReducePartials, AsManyBatchesAtATimeInAllParts) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {24, 4, 65}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {24, 65, 16}, TensorKind::kInput);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  PlanOptions options{.type = DataType::kFp16};
  OperatorChoice choice{.reduction = Reduction::kClusters};
  choice.split.items = {{0, {{0, 24}, {0, 4}, {0, 16}}, {0, 33}}, {1, {{0, 24}, {0, 4}, {0, 16}}, {33, 65}}};
  options.choices = {choice};
  // Four batches of 1,024 bytes in half a buffer, or three of 1,056; the other sizes divide into as many for both.
  for (const std::int64_t buffer_b : {8192, 8192 - 1, 8448, 8448 - 1})
    expect_values(make_plan(graph, chip(Small{"dual_cluster.yaml", 4096, buffer_b, 8192}), options));
}

// Several tiles per partial result, and several boxes each with its own tree.
TEST(ReducePartials, TileByTile) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {48, 300}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {300, 48}, TensorKind::kConstant);
  const TensorId bias = add_tensor(graph, "bias", {48}, TensorKind::kConstant);
  const TensorId sum = add_op(graph, "product", OpKind::kMatMul, {a, b}, {}, TensorKind::kHidden);
  add_op(graph, "biased", OpKind::kAdd, {sum, bias});
  for (const char* file : {"dual_cluster.yaml", "dual_cluster_cache.yaml"}) {
    const Small small{file, 4096, 4096, 8192};
    PlanOptions options;
    OperatorChoice choice{.reduction = Reduction::kClusters};
    for (int core = 0; core < 4; ++core)
      choice.split.items.push_back(
          {core, {{0, 48}, {core / 2 * 24, core / 2 * 24 + 24}}, {core % 2 * 150, core % 2 * 150 + 150}});
    options.choices = {choice};
    const Plan plan = make_plan(graph, chip(small), options);
    EXPECT_EQ(only_share(plan, 0).children, std::vector<int>{1});
    EXPECT_EQ(only_share(plan, 2).children, std::vector<int>{3});
    EXPECT_GT(partial_flags(plan, 1).signals, 1);
    EXPECT_EQ(partial_flags(plan, 1).signals, partial_flags(plan, 0).waits);
    expect_values(plan);
  }
}

// Six cores share a sum of 31 in ranges of 6, the last of 1: too short to be cut along the sum again as theirs are, it
// needs two tiles in the accumulate buffer where they need one.
TEST(ReducePartials, OfAShortRemainderFitTheAccumulateBuffer) {
  for (const Dataflow dataflow : {Dataflow::kOutputStationary, Dataflow::kWeightStationary}) {
    Hardware hardware = chip({.buffer_b = 1024, .accumulator = 8192});
    MatmulSpec& matmul = hardware.core.matmul;
    matmul.rows = 1, matmul.columns = 6, matmul.block_m = 25, matmul.block_n = 20, matmul.dataflow = dataflow;
    Graph graph;
    const TensorId a = add_tensor(graph, "a", {31, 150}, TensorKind::kInput);
    const TensorId b = add_tensor(graph, "b", {31, 65}, TensorKind::kConstant);
    add_op(graph, "product", OpKind::kMatMul, {a, b}, {.transpose_a = true});
    PlanOptions options{.type = DataType::kFp32};
    options.parallel = Parallel::kData, options.cores = 6;
    const Plan plan = make_plan(graph, hardware, options);
    ASSERT_EQ(plan.operators[0].split.items.size(), 6u);
    EXPECT_EQ(plan.operators[0].split.items[5].k.size(), 1);
    expect_values(plan);
  }
}

// A part that cuts its sum once more turns back at the end of every row of partitions, and so do the others of its box:
// they add up the same tiles in the same order, though the partitions of the last column are narrower.
TEST(ReducePartials, GoThroughPartitionsInTheOrderOfThePartThatCutsItsSum) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {64, 7}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {7, 40}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  for (const Reduction reduction : {Reduction::kClusters, Reduction::kRing, Reduction::kScatter}) {
    OperatorChoice choice{.reduction = reduction};
    const Tiling tiling{.partition_m = 32, .partition_n = 16, .tile_m = 16, .tile_n = 16, .use_acc_buffer = true};
    for (int core = 0; core < 2; ++core) {
      choice.split.items.push_back({core, {{0, 64}, {0, 40}}, core == 0 ? Range{0, 1} : Range{1, 7}});
      choice.tilings.push_back(tiling);
      choice.tilings.back().partition_k = core == 0 ? 1 : 3;
      choice.tilings.back().need_splitk = core == 1;
    }
    PlanOptions options{.type = DataType::kFp32};
    options.choices = {choice};
    expect_values(make_plan(graph, chip({.file = "dual_cluster.yaml", .accumulator = 16384}), options));
  }
}

// An eighth of so small an accumulate buffer is no room for a piece.
TEST(ReducePartials, HaveRoomInTheSmallestAccumulateBuffer) {
  for (const Bytes accumulator : {256, 448, 512, 576}) {
    Hardware hardware = chip({.file = "label_example.yaml", .accumulator = accumulator});
    hardware.core.matmul.rows = hardware.core.matmul.columns = 2;
    hardware.core.matmul.block_m = hardware.core.matmul.block_n = 2;
    PlanOptions options{.type = DataType::kFp16};
    options.parallel = Parallel::kModel;
    const Plan plan = make_plan(fully_connected(3), hardware, options);
    ASSERT_FALSE(plan.operators[0].partials.empty());
    expect_values(plan);
  }
}

}  // namespace
}  // namespace tilewright::test
