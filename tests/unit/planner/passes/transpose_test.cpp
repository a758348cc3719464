// Transposes that nothing is moved for: the values are right on every chip, and what cannot be so is moved as before.
#include <gmock/gmock.h>

#include "planner/ir/in_place.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

constexpr auto kInner = TensorKind::kHidden;
const char* const kChips[] = {"edge_single.yaml", "quad_smp.yaml", "quad_numa.yaml", "quad_numa_cache.yaml"};

TensorId reshaped(Graph& graph, const std::string& name, TensorId from, Shape shape, TensorKind kind = kInner) {
  const TensorId to = add_tensor(graph, name + ".out", std::move(shape), kind);
  graph.add_operator({.name = name, .kind = OpKind::kReshape, .inputs = {from}, .output = to});
  return to;
}

struct Heads {
  std::int64_t batch = 1, tokens = 24, heads = 4, width = 32;
  std::int64_t all() const { return heads * width; }
};

TensorId projected(Graph& graph, const std::string& name, TensorId rows, const Heads& h) {
  const TensorId w = add_tensor(graph, name + ".w", {graph.tensor(rows).shape.back(), h.all()}, TensorKind::kConstant);
  return add_op(graph, name, OpKind::kMatMul, {rows, w}, {}, kInner);
}

TensorId split_heads(Graph& graph, const std::string& name, TensorId rows, const Heads& h, TensorKind kind = kInner) {
  const TensorId split = reshaped(graph, name + ".split", rows, {h.batch, h.tokens, h.heads, h.width});
  return add_op(graph, name + ".heads", OpKind::kTranspose, {split}, {.permutation = {0, 2, 1, 3}}, kind);
}

// Queries, keys and values by heads; what comes out goes through a product.
Graph heads_of_attention(const Heads& h) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {h.batch, h.tokens, 48}, TensorKind::kInput);
  std::vector<TensorId> parts;
  for (const char* name : {"q", "k", "v"}) parts.push_back(split_heads(graph, name, projected(graph, name, x, h), h));
  const TensorId turned = add_op(graph, "kt", OpKind::kTranspose, {parts[1]}, {.permutation = {0, 1, 3, 2}}, kInner);
  const TensorId scores = add_op(graph, "scores", OpKind::kMatMul, {parts[0], turned}, {}, kInner);
  const TensorId weights = add_op(graph, "softmax", OpKind::kSoftmax, {scores}, {.axis = 3}, kInner);
  const TensorId context = add_op(graph, "context", OpKind::kMatMul, {weights, parts[2]}, {}, kInner);
  const TensorId back = add_op(graph, "back", OpKind::kTranspose, {context}, {.permutation = {0, 2, 1, 3}}, kInner);
  const TensorId rows = reshaped(graph, "join", back, {h.batch, h.tokens, h.all()});
  const TensorId w = add_tensor(graph, "o.w", {h.all(), 40}, TensorKind::kConstant);
  add_op(graph, "o", OpKind::kMatMul, {rows, w});
  return graph;
}

// One product, its result by heads, and something that reads them.
Graph by_heads(const Heads& h, TensorKind kind = kInner) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {h.batch, h.tokens, 48}, TensorKind::kInput);
  const TensorId heads = split_heads(graph, "q", projected(graph, "q", x, h), h, kind);
  if (kind == kInner) add_op(graph, "behind", OpKind::kSoftmax, {heads}, {.axis = 3});
  return graph;
}

std::vector<std::string> moved(const Plan& plan) {
  std::vector<std::string> names;
  for (const OperatorId id : plan.order)
    if (plan.graph.op(id).kind == OpKind::kTranspose && !plan.operators[id].split.items.empty())
      names.push_back(plan.graph.op(id).name);
  return names;
}

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(TransposeInPlace, HeadsOfAttentionAreNotMoved) {
  for (const char* file : kChips)
    for (const auto parallel : {Parallel::kFree, Parallel::kModel, Parallel::kData})
      for (const Heads& h : {Heads{}, Heads{1, 17, 3, 40}, Heads{3, 8, 4, 32}, Heads{1, 1, 4, 32}}) {
        SCOPED_TRACE(fmt::format("{} {} {}x{}x{}x{}", file, kParallelNames[static_cast<int>(parallel)], h.batch,
                                 h.tokens, h.heads, h.width));
        const Plan plan = make_plan(heads_of_attention(h), chip({file}), {.parallel = parallel});
        EXPECT_THAT(moved(plan), IsEmpty());
        expect_values(plan);
      }
}

TEST(TransposeInPlace, MemoryMayBeShared) {
  for (const char* file : kChips) {
    SCOPED_TRACE(file);
    expect_values(make_plan(heads_of_attention({}), chip({file}), {.share_memory = true}));
    expect_values(make_plan(heads_of_attention({}), chip({file}), {.placement = Placement::kRoundRobin}));
  }
}

// As many heads as tokens: the permuted tensor has the shape of the one it is made of, and still other cores read it.
TEST(TransposeInPlace, EqualShapesAreNotTheSameOrder) {
  for (const char* file : kChips)
    for (const int batch : {1, 2}) {
      SCOPED_TRACE(file);
      Graph graph;
      const TensorId x = add_tensor(graph, "x", {batch, 16, 16, 48}, TensorKind::kInput);
      const TensorId first = add_op(graph, "first", OpKind::kRelu, {x}, {}, kInner);
      const TensorId turned =
          add_op(graph, "turned", OpKind::kTranspose, {first}, {.permutation = {0, 2, 1, 3}}, kInner);
      add_op(graph, "behind", OpKind::kTanh, {turned});
      const Plan plan = make_plan(graph, chip({file}), {});
      EXPECT_THAT(moved(plan), IsEmpty());
      expect_values(plan);
    }
}

TEST(TransposeInPlace, AnOutputIsWrittenInPlaceToo) {
  for (const char* file : kChips) {
    const Plan plan = make_plan(by_heads({}, TensorKind::kOutput), chip({file}), {});
    EXPECT_THAT(moved(plan), IsEmpty());
    expect_values(plan);
  }
}

TEST(TransposeInPlace, RunsOfABurstAreLongEnough) {
  for (const std::int64_t width : {31, 32}) {
    const Plan plan = make_plan(by_heads({.width = width}), chip(), {});
    EXPECT_THAT(moved(plan), SizeIs(width == 31 ? 1 : 0));
    expect_values(plan);
  }
}

TEST(TransposeInPlace, NothingTogetherMovesAllOfThem) {
  const Plan plan = make_plan(by_heads({}), chip(), {.group = Grouping::kNone});
  EXPECT_THAT(moved(plan), ElementsAre("q.heads"));
  expect_values(plan);
}

TEST(TransposeInPlace, WhatOthersReadIsMoved) {
  Graph graph = by_heads({});
  add_op(graph, "other", OpKind::kRelu, {*graph.find_tensor("q.out")});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_THAT(moved(plan), ElementsAre("q.heads"));
  expect_values(plan);
}

TEST(TransposeInPlace, WhatLiesThereBeforeTheRunIsMoved) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 24, 4, 32}, TensorKind::kInput);
  const TensorId turned = add_op(graph, "turned", OpKind::kTranspose, {x}, {.permutation = {0, 2, 1, 3}}, kInner);
  add_op(graph, "behind", OpKind::kRelu, {turned});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_THAT(moved(plan), ElementsAre("turned"));
  expect_values(plan);
}

TEST(TransposeInPlace, RowsThatEndInsideAHeadAreMoved) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {12, 256}, TensorKind::kInput);
  const TensorId first = add_op(graph, "first", OpKind::kRelu, {x}, {}, kInner);
  const TensorId split = reshaped(graph, "split", first, {24, 4, 32});
  const TensorId turned = add_op(graph, "turned", OpKind::kTranspose, {split}, {.permutation = {1, 0, 2}}, kInner);
  add_op(graph, "behind", OpKind::kTanh, {turned});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_THAT(moved(plan), ElementsAre("turned"));
  expect_values(plan);
}

TEST(TransposeInPlace, OneBehindTheOther) {
  for (const char* file : kChips) {
    Graph graph = by_heads({});
    const TensorId heads = *graph.find_tensor("q.heads.out");
    const TensorId again = add_op(graph, "again", OpKind::kTranspose, {heads}, {.permutation = {2, 1, 0, 3}}, kInner);
    add_op(graph, "last", OpKind::kRelu, {again});
    const Plan plan = make_plan(graph, chip({file}), {});
    EXPECT_THAT(moved(plan), ElementsAre("again"));
    expect_values(plan);
  }
}

// Short runs of other cores' elements are loaded along with a core's own: they must be there, too.
TEST(MovedTranspose, WaitsForWhatIsReadThrough) {
  for (const char* file : kChips) {
    Graph graph;
    const TensorId x = add_tensor(graph, "x", {31, 1, 1, 16}, TensorKind::kInput);
    const TensorId first = add_op(graph, "first", OpKind::kTranspose, {x}, {.permutation = {1, 0, 2, 3}}, kInner);
    add_op(graph, "second", OpKind::kTranspose, {first}, {.permutation = {1, 0, 2, 3}});
    expect_values(make_plan(graph, chip({file}), {.parallel = Parallel::kModel}));
  }
}

// Channels in groups, shuffled.
TEST(TransposeInPlace, ChannelsOfImages) {
  for (const char* file : kChips)
    for (const int images : {1, 2}) {
      Graph graph;
      const TensorId x = add_tensor(graph, "x", {images, 6, 8, 8}, TensorKind::kInput);
      const TensorId w = add_tensor(graph, "w", {12, 6, 3, 3}, TensorKind::kConstant);
      const TensorId conv = add_op(graph, "conv", OpKind::kConv, {x, w}, {.pads = {1, 1, 1, 1}}, kInner);
      const TensorId groups = reshaped(graph, "groups", conv, {images, 3, 4, 8, 8});
      const TensorId shuffled =
          add_op(graph, "shuffle", OpKind::kTranspose, {groups}, {.permutation = {0, 2, 1, 3, 4}}, kInner);
      const TensorId channels = reshaped(graph, "channels", shuffled, {images, 12, 8, 8});
      add_op(graph, "pooled", OpKind::kMaxPool, {channels}, {.window = {2, 2}, .strides = {2, 2}});
      const Plan plan = make_plan(graph, chip({file}), {});
      EXPECT_THAT(moved(plan), IsEmpty());
      expect_values(plan);
    }
}

// The Concat's inputs are written where its result has them; one of them is turned on its way there.
TEST(TransposeInPlace, PartsOfAConcatenationAreMoved) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {1, 24, 4, 32}, TensorKind::kInput);
  const TensorId first = add_op(graph, "first", OpKind::kRelu, {x}, {}, kInner);
  const TensorId turned = add_op(graph, "turned", OpKind::kTranspose, {first}, {.permutation = {0, 2, 1, 3}}, kInner);
  const TensorId y = add_tensor(graph, "y", {1, 5, 24, 32}, TensorKind::kInput);
  const TensorId second = add_op(graph, "second", OpKind::kTanh, {y}, {}, kInner);
  const TensorId whole = add_op(graph, "joined", OpKind::kConcat, {turned, second}, {.axis = 1}, kInner);
  add_op(graph, "behind", OpKind::kRelu, {whole});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_THAT(moved(plan), ElementsAre("turned"));
  expect_values(plan);
}

}  // namespace
}  // namespace tilewright::test
