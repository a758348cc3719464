// Groups of operators: what may be one, what its program computes, and the least buffers that hold its blocks.
#include "planner/ir/group.h"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <set>

#include "planner/emit/chain/chain_areas.h"
#include "planner/emit/chain/row_sums.h"
#include "planner/ir/access.h"
#include "planner/ir/region_allocator.h"
#include "planner/passes/group_choice.h"
#include "sim/base/error.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

using testing::IsEmpty;

constexpr TensorKind kHidden = TensorKind::kHidden;

std::int64_t moved_bytes(const Plan& plan) {
  std::int64_t bytes = 0;
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions)
      if (const auto* transfer = std::get_if<Transfer>(&instruction.payload))
        bytes += product_of({transfer->shape.begin(), transfer->shape.end()}) * bytes_of(transfer->type);
  return bytes;
}

// Returns the multiply-adds.
std::int64_t expect_outputs(const Plan& plan) {
  Interpreter interpreter(plan.program, plan.hardware);
  for (const SegmentData& data : initial_data(plan, 1)) interpreter.segment(data.segment) = data.bytes;
  interpreter.run();
  const CheckReport report = compare_values(plan, final_bytes(plan, interpreter));
  EXPECT_FALSE(report.operators.empty());
  EXPECT_TRUE(report.passed()) << report.worst()->worst_error << " of scale " << report.worst()->scale;
  return interpreter.macs();
}

TEST(Group, BatchesAreCutFromTheOutside) {
  const Shape shape{3, 4, 5, 6};
  const std::map<std::int64_t, std::vector<std::int64_t>> cuts{{1, {1, 1, 1, 1}}, {2, {2, 1, 1, 1}},
                                                               {3, {3, 1, 1, 1}}, {5, {3, 1, 1, 1}},
                                                               {6, {3, 2, 1, 1}}, {40, {3, 4, 1, 1}}};
  for (const auto& [parts, expected] : cuts) EXPECT_EQ(batch_cuts(shape, parts), expected) << parts;
}

TEST(Group, AttentionReadsItsOperandsAndWritesItsResult) {
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "quad_numa_cache.yaml", "tpu_v3_core.yaml"}) {
    SCOPED_TRACE(file);
    const Plan plan = make_plan(attention({}), chip({.file = file}), attention_group());
    ASSERT_EQ(plan.groups.size(), 1u);
    expect_values(plan);
    EXPECT_TRUE(plan.tensors[plan.graph.op(0).output].pieces.empty());
    EXPECT_EQ(plan.labels[plan.graph.op(0).output].dynamic.store.level, StoreLevel::kCore);
    if (plan.hardware.cores() == 1) {
      const std::int64_t once = 3 * (40 + 72 + 72 + 40) * 24 * 2;
      EXPECT_EQ(moved_bytes(plan), once);
    }
  }
}

// The factor that a division becomes is kept in fp32, as part of an instruction.
TEST(Group, AKnownScalarOfAnotherTypeIsNoObstacle) {
  const Plan plan = make_plan(attention({.root = std::sqrt(24)}), chip(), attention_group());
  EXPECT_EQ(plan.groups.size(), 1u);
  expect_values(plan);
}

TEST(Group, ALongRowOfScoresComesInBlocks) {
  const Hardware small = chip({.file = "edge_single.yaml", .buffer_a = 4096, .buffer_b = 8192, .accumulator = 6144});
  const Plan plan = make_plan(attention({.keys = 500}), small, attention_group());
  ASSERT_EQ(plan.groups.size(), 1u);
  EXPECT_LT(plan.operators[0].tilings[0].tile_n, 500);
  EXPECT_TRUE(plan.operators[2].tilings[0].need_splitk);
  expect_values(plan);
}

// Blocks above the diagonal are left out, those below it need no mask, and those on it are all the same.
TEST(Group, AKnownCausalMaskLeavesBlocksOut) {
  for (const double above : {-std::numeric_limits<double>::infinity(), -1e30}) {
    const Hardware small = chip({.file = "edge_single.yaml", .buffer_a = 8192, .buffer_b = 65536, .accumulator = 8192});
    const Attention all{.heads = 2, .rows = 128, .keys = 128, .width = 16};
    Attention causal = all;
    causal.above = above;
    const Plan plan = make_plan(attention(causal), small, attention_group()),
               whole = make_plan(attention(all), small, attention_group());
    ASSERT_EQ(plan.groups.size(), 1u);
    const std::int64_t all_macs = 2 * 2 * 128 * 128 * 16;
    const std::int64_t macs = expect_outputs(plan);
    EXPECT_LT(macs, all_macs * 3 / 4);
    EXPECT_EQ(all_macs + macs_of_row_sums(plan) - macs, macs_left_out(plan));
    const std::int64_t block = plan.operators[0].tilings[0].tile_m * plan.operators[0].tilings[0].tile_n * 2;
    EXPECT_LE(moved_bytes(plan), moved_bytes(whole) + 4 * block);
  }
}

TEST(Group, AChainOfProductsKeepsItsResultsOnTheCore) {
  Graph graph;
  TensorId x = add_tensor(graph, "x", {64, 64}, TensorKind::kInput);
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    const std::string name = fmt::format("p{}", i);
    const TensorId w = add_tensor(graph, "w" + name, {64, 64}, TensorKind::kConstant);
    const TensorId p = add_op(graph, name, OpKind::kMatMul, {x, w}, {}, kHidden);
    x = add_op(graph, "relu" + name, OpKind::kRelu, {p}, {}, i == 7 ? TensorKind::kOutput : kHidden);
    names.push_back(name);
  }
  const Plan plan = make_plan(graph, chip({.file = "tpu_v3_core.yaml"}), grouped(names));
  expect_values(plan);
  EXPECT_EQ(moved_bytes(plan), (2 + 8) * 64 * 64 * 2);
}

TEST(Group, ASoftmaxBehindTheLastProductNeedsNoMemoryEither) {
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "tpu_v3_core.yaml"}) {
    SCOPED_TRACE(file);
    for (const auto& widths : std::vector<std::vector<std::int64_t>>{{40, 72}, {40, 520, 72}, {40, 72, 30, 50}}) {
      const Graph graph = product_chain(150, widths, true);
      std::vector<std::string> names;
      for (const Operator& op : graph.operators()) names.push_back(op.name);
      const Plan plan = make_plan(graph, chip({.file = file}), grouped(names));
      ASSERT_EQ(plan.groups.size(), 1u);
      EXPECT_TRUE(plan.tensors[plan.graph.operators().back().inputs[0]].pieces.empty());
      expect_values(plan);
    }
  }
}

TEST(Group, ProductsSideBySideStandAtTheHeadOfAChain) {
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml", "quad_numa_cache.yaml", "tpu_v3_core.yaml"})
    for (const Shape& rows : {Shape{60}, Shape{3, 20}}) {
      SCOPED_TRACE(file);
      const Plan plan = make_plan(gated_layer(rows, 24, 72), chip({.file = file}), grouped({"gate", "up", "down"}));
      ASSERT_EQ(plan.groups.size(), 1u);
      expect_values(plan);
      for (const OperatorId inner : {plan.groups[0].members[0], plan.groups[0].members[1]})
        EXPECT_TRUE(plan.tensors[plan.graph.op(inner).output].pieces.empty());
      if (plan.hardware.cores() == 1) {
        const std::int64_t once = 2 * 60 * 24 + 3 * 24 * 72;
        EXPECT_EQ(moved_bytes(plan), once * 2);
      }
    }
}

TEST(Group, ProductsSideBySideComeInBlocksOfColumns) {
  const Hardware small = chip({.file = "edge_single.yaml", .buffer_a = 8192, .buffer_b = 8192, .accumulator = 16384});
  const Plan plan = make_plan(gated_layer({100}, 24, 900), small, grouped({"gate", "up", "down"}));
  for (const OperatorId product : {0, 1}) EXPECT_LT(plan.operators[product].tilings[0].tile_n, 900);
  EXPECT_TRUE(plan.operators[2].tilings[0].need_splitk);
  expect_values(plan);
}

// A softmax of what two products make needs whole rows, also where each reads them through a renaming of its own.
TEST(Group, RowsOfTheLastProductAreNotCut) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 100, 31}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {1, 31, 63}, TensorKind::kConstant);
  const TensorId v = add_tensor(graph, "v", {1, 31, 63}, TensorKind::kConstant);
  const TensorId first = add_op(graph, "first", OpKind::kMatMul, {x, w}, {}, kHidden);
  const TensorId second = add_op(graph, "second", OpKind::kMatMul, {x, v}, {}, kHidden);
  const TensorId sum = add_op(graph, "sum", OpKind::kAdd, {second, first}, {}, kHidden);
  add_op(graph, "softmax", OpKind::kSoftmax, {sum}, {.axis = 2});
  const Hardware small = chip({.buffer_a = 2816, .buffer_b = 8192, .accumulator = 8192});
  const Plan plan = make_plan(graph, small, grouped({"first", "second", "softmax"}));
  ASSERT_EQ(plan.groups.size(), 1u);
  for (const OperatorId product : {plan.groups[0].members[0], plan.groups[0].members[1]})
    EXPECT_EQ(plan.operators[product].tilings[0].tile_n, 63);
  expect_values(plan);
}

// Two blocks of 64 rows and 32 columns of both results, of which the first is read where it was computed, and of sums.
TEST(Group, WhatIsComputedBesideTakesNoRoomTwice) {
  Plan plan =
      make_plan(gated_layer({128}, 64, 256), chip({.file = "edge_single.yaml"}), grouped({"gate", "up", "down"}));
  const auto fits = [&](Bytes CoreSpec::*buffer, Bytes bytes) {
    Plan smaller = plan;
    smaller.hardware.core.*buffer = bytes;
    const BoxRange output = plan.operators[2].split.items[0].output;
    return chain_areas(Chain(smaller, smaller.groups[0], output), {64, 32}).has_value();
  };
  const Bytes sums = 64 * 64 * 4, results = 2 * 2 * 64 * 32 * 4;  // once, where two have no room
  EXPECT_TRUE(fits(&CoreSpec::accumulator, sums + results));
  EXPECT_FALSE(fits(&CoreSpec::accumulator, sums + results - 64));
  const Bytes rows = 2 * 64 * 64 * 2, handed_on = 2 * 64 * 32 * 2;
  EXPECT_TRUE(fits(&CoreSpec::buffer_a, rows + handed_on));
  EXPECT_FALSE(fits(&CoreSpec::buffer_a, rows + handed_on - 64));
}

// Two blocks of 16 KiB of the first result, and 32 KiB of sums that all of them add to, or that of two row blocks.
TEST(Group, SumsLieOnceWhereTwoHaveNoRoom) {
  Plan plan = make_plan(product_chain(256, {16, 1024, 64}), chip({.file = "edge_single.yaml"}), grouped({"p1", "p2"}));
  const BoxRange output = plan.operators[1].split.items[0].output;
  const auto copies = [&](Bytes accumulator, const ChainBlocks& blocks) {
    plan.hardware.core.accumulator = accumulator;
    const auto areas = chain_areas(Chain(plan, plan.groups[0], output), blocks);
    return areas ? areas->back().copies_of_c : 0;
  };
  const Bytes once = 64 << 10, twice = 96 << 10;
  EXPECT_EQ(copies(twice, {128, 32}), 2);
  EXPECT_EQ(copies(twice - 64, {128, 32}), 1);
  EXPECT_EQ(copies(once, {128, 32}), 1);
  EXPECT_EQ(copies(once - 64, {128, 32}), 0);
  EXPECT_EQ(copies(2 * (8 + 2) * 1024 * 4 - 64, {8, 1024}), 0) << "only one block adds to them";
}

// Dealt out one by one, as packing did, the blocks that the cores of a cluster begin with lay in one memory.
TEST(Group, WeightsLieInARunNextToEachCluster) {
  PlanOptions options = grouped({"p1", "p2"});
  options.replicate = false;
  const Plan plan = make_plan(product_chain(512, {64, 2048, 64}), chip({.file = "quad_numa.yaml"}), options);
  for (const char* name : {"w1", "w2"}) {
    const auto& pieces = plan.tensors[*plan.graph.find_tensor(name)].pieces;
    ASSERT_GE(pieces.size(), 4u) << name;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      EXPECT_EQ(pieces[i].region, static_cast<int>(i * 4 / pieces.size())) << name << " " << i;
  }
  expect_values(plan);
}

// Beside what visits add to: two blocks of 16 KiB of the first result, and of what is added 128 rows or 16, twice.
TEST(Group, WhatIsCombinedWithTheLastResultComesAFewRowsAtATime) {
  const Graph graph = product_chain(256, {64, 1024, 64}, false, true);
  Plan plan = make_plan(graph, chip({.file = "edge_single.yaml"}), grouped({"p1", "p2"}));
  const BoxRange output = plan.operators[1].split.items[0].output;
  const auto found = [&](Bytes accumulator) {
    plan.hardware.core.accumulator = accumulator;
    const auto areas = chain_areas(Chain(plan, plan.groups[0], output), {128, 32});
    return areas ? std::pair(areas->back().copies_of_c, areas->back().finished_rows) : std::pair(0, std::int64_t{0});
  };
  const Bytes results = 32 << 10, sums = 32 << 10, whole = 32 << 10, few = 4 << 10;
  EXPECT_EQ(found(results + 2 * sums + whole), std::pair(2, std::int64_t{128}));
  EXPECT_EQ(found(results + 2 * sums + whole - 64), std::pair(2, std::int64_t{16}));
  EXPECT_EQ(found(results + 2 * sums + few - 64), std::pair(1, std::int64_t{128}));
  EXPECT_EQ(found(results + sums + whole - 64), std::pair(1, std::int64_t{16}));
  EXPECT_EQ(found(results + sums + few - 64), std::pair(0, std::int64_t{0}));
}

TEST(Group, RowsThatAreFinishedAFewAtATimeAreRight) {
  const Hardware hardware = chip({.buffer_a = 64 << 10, .buffer_b = 16 << 10, .accumulator = 36 << 10});
  for (const bool softmax : {false, true}) {
    const Graph graph = product_chain(1024, {64, 512, 64}, softmax, true);
    std::vector<std::string> names{"p1", "p2"};
    if (softmax) names.push_back("shares");
    const Plan plan = make_plan(graph, hardware, grouped(names));
    const Chain chain(plan, plan.groups[0], plan.operators[1].split.items[0].output);
    const ChainBlocks blocks = chosen_blocks(plan, plan.groups[0], 0);
    EXPECT_LT(chain_areas(chain, blocks)->back().finished_rows, blocks.rows);
    expect_values(plan);
  }
}

// 96 KiB hold the sums of 64 rows twice, or those of 128 once, beside 64 columns of the first result: the weights are
// then read half as often.
TEST(Group, MoreRowsWhoseSumsLieOnceReadTheWeightsLessOften) {
  const Hardware hardware = chip({.buffer_a = 128 << 10, .buffer_b = 64 << 10, .accumulator = 96 << 10});
  const Plan plan = make_plan(product_chain(2048, {64, 1024, 64}), hardware, grouped({"p1", "p2"}));
  EXPECT_EQ(plan.operators[0].tilings[0].tile_m, 128);
  expect_values(plan);
}

// Where the core's first load into buffer B is from.
Address first_weights(const CoreProgram& core) {
  for (const Instruction& instruction : core.instructions) {
    const auto* moved = std::get_if<Transfer>(&instruction.payload);
    if (instruction.unit == Unit::kLoad && moved != nullptr && moved->target.space == Space::kBufferB)
      return moved->source.address;
  }
  ADD_FAILURE() << "a core without weights";
  return 0;
}

// Four cores next to a memory each, in which a quarter of the weights lies.
TEST(Group, CoresOfAClusterAndOfOthersBeginWithColumnsOfDifferentMemories) {
  const Hardware hardware = chip({.file = "quad_numa.yaml", .buffer_b = 32 << 10});
  PlanOptions options = grouped({"p1", "p2"});
  options.replicate = false;
  const Plan plan = make_plan(product_chain(512, {16, 1024, 64}), hardware, options);
  std::map<int, std::set<Address>> of_cluster, of_turn;
  for (std::size_t core = 0; core < plan.program.cores.size(); ++core) {
    const Address from = first_weights(plan.program.cores[core]);
    of_cluster[hardware.cluster_of(static_cast<int>(core))].insert(from);
    of_turn[static_cast<int>(core) % hardware.cores_per_cluster].insert(from);
  }
  for (const auto& groups : {of_cluster, of_turn})
    for (const auto& [number, addresses] : groups) EXPECT_EQ(addresses.size(), 4u) << number;
  expect_values(plan);
}

// Sixteen cores next to one memory over all channels: none reads a piece while another one does.
TEST(Group, CoresThatReadTheSameMemoryBeginWithDifferentColumns) {
  const Hardware hardware = chip({.file = "quad_smp.yaml", .buffer_b = 32 << 10});
  const Plan plan = make_plan(product_chain(512, {16, 1024, 64}), hardware, grouped({"p1", "p2"}));
  std::set<Address> first;
  for (const CoreProgram& core : plan.program.cores) first.insert(first_weights(core));
  EXPECT_EQ(first.size(), 16u);
}

// Of 512 rows the accumulate buffer holds the sums of 256 beside two blocks of 16 columns. With less, three row blocks
// read the weights, not four of 128. The units are so fast that reading is what takes time.
TEST(Group, WalksAsFewRowBlocksAsFit) {
  const Bytes room = 256 * (64 + 2 * 16) * 4;
  PlanOptions options = grouped({"p1", "p2"});
  options.cores = 1;
  for (const auto& [accumulator, rows] : {std::pair(room, 256), std::pair(room - constants().buffer_alignment, 192)}) {
    Hardware hardware = chip({.buffer_a = 256 << 10, .buffer_b = 8 << 10, .accumulator = accumulator});
    hardware.core.matmul.rows = hardware.core.matmul.columns = hardware.core.vector.lanes = 512;
    const Plan plan = make_plan(product_chain(512, {64, 2048, 64}), hardware, options);
    EXPECT_EQ(plan.operators[0].tilings[0].tile_m, rows);
    expect_values(plan);
  }
}

// The smallest accumulate buffer that holds the smallest blocks: there the group runs, one alignment below it is
// refused.
TEST(Group, RunsInTheLeastBuffersThatHoldIt) {
  expect_least_buffers(attention({.heads = 1, .rows = 9, .keys = 33, .width = 20}), attention_group());
  expect_least_buffers(gated_layer({9}, 20, 33), grouped({"gate", "up", "down"}));
}

std::string refusal(const Graph& graph, std::vector<std::string> operators) {
  try {
    make_plan(graph, chip(), grouped(std::move(operators)));
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

// The second product reads the first one's result as its rows and, behind it, as what is added: it has to lie
// somewhere.
TEST(Group, AResultThatIsReadAgainBehindTheNextProductIsNoPartOfAChain) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {64, 32}, TensorKind::kInput);
  const TensorId v = add_tensor(graph, "v", {32, 32}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {32, 32}, TensorKind::kInput);
  const TensorId first = add_op(graph, "first", OpKind::kMatMul, {x, v}, {}, kHidden);
  const TensorId second = add_op(graph, "second", OpKind::kMatMul, {first, w}, {}, kHidden);
  add_op(graph, "sum", OpKind::kAdd, {second, first});
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml"}) {
    const Plan plan = make_plan(graph, chip({file}), {});
    EXPECT_TRUE(plan.groups.empty());
    expect_outputs(plan);
    EXPECT_THROW(make_plan(graph, chip({file}), grouped({"first", "second"})), UserError);
  }
}

TEST(Group, WhatIsNoChainIsRefused) {
  const Graph graph = attention({});
  EXPECT_THAT(refusal(graph, {"softmax", "context"}),
              testing::HasSubstr("the softmax 'softmax' is not behind a product"));
  EXPECT_THAT(refusal(graph, {"scores", "context"}),
              testing::HasSubstr("'context' does not read the rows of 'scores'"));
  EXPECT_THAT(refusal(graph, {"scores"}), testing::HasSubstr("a group has two operators or more"));
  EXPECT_THAT(refusal(graph, {"scores", "nothing"}), testing::HasSubstr("has no operator 'nothing'"));
  Graph read_twice = attention({});
  add_op(read_twice, "also", OpKind::kRelu, {read_twice.op(1).output});
  EXPECT_THAT(refusal(read_twice, {"scores", "softmax", "context"}), testing::HasSubstr("has other readers"));
}

TEST(Group, ProductsOfOtherRowsAreNotSideBySide) {
  Graph graph;
  const TensorId w = add_tensor(graph, "w", {32, 48}, TensorKind::kConstant);
  const TensorId x = add_tensor(graph, "x", {64, 32}, TensorKind::kInput);
  const TensorId z = add_tensor(graph, "z", {64, 32}, TensorKind::kInput);
  const TensorId first = add_op(graph, "first", OpKind::kMatMul, {x, w}, {}, kHidden);
  const TensorId second = add_op(graph, "second", OpKind::kMatMul, {z, w}, {}, kHidden);
  add_op(graph, "sum", OpKind::kAdd, {second, first});
  EXPECT_THAT(refusal(graph, {"first", "second"}), testing::HasSubstr("'second' does not read the rows of 'first'"));
}

// Of what long_attention() has twice.
Hardware short_of_memory() { return with_memory(chip(), 1024 * 1024); }

TEST(Group, WhatIsToldTogetherNeedsNoMemoryBetween) {
  PlanOptions apart;
  apart.group = Grouping::kNone;
  EXPECT_THROW(make_plan(long_attention(), short_of_memory(), apart), NoRoomInDram);
  const Plan plan = make_plan(long_attention(), short_of_memory(), attention_group());
  EXPECT_EQ(plan.graph.operators().size(), 3u);
  expect_values(plan);
}

TEST(Group, ChainsThatWouldBeCutIntoPartsAreFound) {
  const auto found = groups_for_parts(long_attention(), short_of_memory(), {});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].groups.at(0).operators, (std::vector<std::string>{"scores", "softmax", "context"}));
  EXPECT_THAT(groups_for_parts(long_attention(), chip(), {}), IsEmpty()) << "there is room";
  EXPECT_THAT(groups_for_parts(long_attention(), short_of_memory(), {.group = Grouping::kNone}), IsEmpty());
  EXPECT_THAT(groups_for_parts(long_attention(), short_of_memory(), attention_group()), IsEmpty()) << "the user says";
  EXPECT_THAT(groups_for_parts(branches({512, 512}), short_of_memory(), {}), IsEmpty()) << "no chain";
}

}  // namespace
}  // namespace tilewright::test
