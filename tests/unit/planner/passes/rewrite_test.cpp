// The fold and fuse passes: what is left of a graph, and that its program still computes the same.
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

TensorId constant(Graph& graph, const std::string& name, Shape shape, double value) {
  std::vector<double> data(element_count(shape), value);
  return graph.add_tensor({.name = name, .shape = std::move(shape), .kind = TensorKind::kConstant, .data = data});
}

std::vector<OpKind> kinds(const Graph& graph) {
  std::vector<OpKind> result;
  for (const Operator& op : graph.operators())
    if (op.kind != OpKind::kReshape) result.push_back(op.kind);
  return result;
}

// How exporters write a normalisation of rows.
struct Norm {
  bool centred = false, by_power = false, scaled = true, shifted = true;
  int quotient = 0;  // 0: rows / root, 1: reciprocal(root) * rows, 2: rows * (1 / root)
  double exponent = 2;
  std::int64_t axis = 2;
  bool root_read_twice = false, rows_read_twice = false;
};

Graph norm_graph(const Norm& n) {
  Graph graph;
  const auto op = [&](const char* name, OpKind kind, std::vector<TensorId> inputs, Attributes attributes = {}) {
    return add_op(graph, name, kind, std::move(inputs), std::move(attributes), TensorKind::kHidden);
  };
  const auto vector = [&](const char* name) { return add_tensor(graph, name, {40}, TensorKind::kConstant); };
  const auto mean = [&](const char* name, TensorId of) {
    return op(name, OpKind::kReduceMean, {of}, {.axes = {n.axis}});
  };
  TensorId rows = add_tensor(graph, "x", {2, 9, 40}, TensorKind::kInput);
  if (n.centred) rows = op("centre", OpKind::kSub, {rows, mean("mean", rows)});
  const TensorId square = n.by_power ? op("square", OpKind::kPow, {rows, constant(graph, "two", {}, n.exponent)})
                                     : op("square", OpKind::kMul, {rows, rows});
  const TensorId sum = op("sum", OpKind::kAdd, {mean("mean square", square), constant(graph, "epsilon", {}, 1e-3)});
  const TensorId root = op("root", OpKind::kSqrt, {sum});
  TensorId result = root;
  if (n.quotient == 0) result = op("norm", OpKind::kDiv, {rows, root});
  if (n.quotient == 1) result = op("norm", OpKind::kMul, {op("inverse", OpKind::kReciprocal, {root}), rows});
  if (n.quotient == 2)
    result = op("norm", OpKind::kMul, {rows, op("inverse", OpKind::kDiv, {constant(graph, "one", {}, 1), root})});
  if (n.scaled) result = op("scaled", OpKind::kMul, {vector("scale"), result});
  if (n.shifted) result = op("shifted", OpKind::kAdd, {result, vector("shift")});
  if (n.root_read_twice) add_op(graph, "again", OpKind::kNeg, {root});
  if (n.rows_read_twice) add_op(graph, "again", OpKind::kNeg, {rows});
  add_op(graph, "out", OpKind::kRelu, {result});
  return graph;
}

std::vector<OpKind> planned_kinds(const Norm& norm) {
  const Plan plan = make_plan(norm_graph(norm), chip(), {});
  if (!norm.by_power) expect_values(plan);  // a power takes no negative numbers as seeded
  return kinds(plan.graph);
}

TEST(Fold, NormalisationsInEveryForm) {
  using enum OpKind;
  for (const bool by_power : {false, true})
    for (const int quotient : {0, 1, 2}) {
      SCOPED_TRACE(quotient);
      const auto with = [&](Norm norm) {
        norm.by_power = by_power, norm.quotient = quotient;
        return planned_kinds(norm);
      };
      EXPECT_EQ(with({.centred = true}), (std::vector{kLayerNorm, kRelu}));
      EXPECT_EQ(with({.centred = true, .shifted = false}), (std::vector{kLayerNorm, kRelu}));
      EXPECT_EQ(with({.centred = true, .scaled = false}), (std::vector{kLayerNorm, kRelu}));
      EXPECT_EQ(with({.shifted = false}), (std::vector{kRmsNorm, kRelu}));
      EXPECT_EQ(with({.scaled = false, .shifted = false}), (std::vector{kRmsNorm, kRelu}));
      EXPECT_EQ(with({}), (std::vector{kRmsNorm, kAdd, kRelu}));
    }
  EXPECT_EQ(planned_kinds({.centred = true, .rows_read_twice = true}).size(), 6u);  // of centred rows
}

TEST(Fold, NearlyANormalisationStays) {
  const auto roots = [](const Norm& norm) { return std::ranges::count(planned_kinds(norm), OpKind::kSqrt); };
  EXPECT_EQ(roots({.axis = 1}), 1);
  EXPECT_EQ(roots({.by_power = true, .exponent = 3}), 1);
  EXPECT_EQ(roots({.root_read_twice = true}), 1);
}

// 0: (x * a) * 0.5, 1: x * (a * 0.5), 2: (x * 0.5) * a, with a = 1 + erf(x / sqrt 2).
Graph gelu_graph(int order) {
  Graph graph;
  const auto hidden = TensorKind::kHidden;
  const TensorId x = add_tensor(graph, "x", {30, 40}, TensorKind::kInput);
  const TensorId half = constant(graph, "half", {}, 0.5), one = constant(graph, "one", {1}, 1);
  const TensorId d = order == 1
                         ? add_op(graph, "d", OpKind::kMul, {x, constant(graph, "rsqrt2", {}, 0.70710678)}, {}, hidden)
                         : add_op(graph, "d", OpKind::kDiv, {x, constant(graph, "sqrt2", {}, 1.41421356)}, {}, hidden);
  const TensorId a =
      add_op(graph, "a", OpKind::kAdd, {add_op(graph, "e", OpKind::kErf, {d}, {}, hidden), one}, {}, hidden);
  if (order == 0) add_op(graph, "g", OpKind::kMul, {add_op(graph, "p", OpKind::kMul, {x, a}, {}, hidden), half});
  if (order == 1) add_op(graph, "g", OpKind::kMul, {x, add_op(graph, "p", OpKind::kMul, {a, half}, {}, hidden)});
  if (order == 2) add_op(graph, "g", OpKind::kMul, {add_op(graph, "p", OpKind::kMul, {x, half}, {}, hidden), a});
  return graph;
}

TEST(Fold, GeluInEveryOrder) {
  for (int order = 0; order < 3; ++order) {
    const Plan plan = make_plan(gelu_graph(order), chip(), {});
    EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kGelu}) << order;
    expect_values(plan);
  }
}

// 0: x^3 as a power, 1: as two products; `factor`: 0.044715 in GELU's approximation.
Graph gelu_tanh_graph(int order, double factor) {
  Graph graph;
  const auto hidden = TensorKind::kHidden;
  const auto times = [&](const char* name, TensorId a, TensorId b) {
    return add_op(graph, name, OpKind::kMul, {a, b}, {}, hidden);
  };
  const TensorId x = add_tensor(graph, "x", {30, 40}, TensorKind::kInput);
  const TensorId cube = order == 0
                            ? add_op(graph, "cube", OpKind::kPow, {x, constant(graph, "three", {}, 3)}, {}, hidden)
                            : times("cube", x, times("square", x, x));
  const TensorId part = times("part", constant(graph, "factor", {}, factor), cube);
  const TensorId sum = add_op(graph, "sum", OpKind::kAdd, {x, part}, {}, hidden);
  const TensorId curve = add_op(graph, "curve", OpKind::kTanh,
                                {times("argument", sum, constant(graph, "scale", {}, 0.7978845608))}, {}, hidden);
  const TensorId one = add_op(graph, "plus", OpKind::kAdd, {curve, constant(graph, "one", {}, 1)}, {}, hidden);
  const TensorId half = times("halved", x, constant(graph, "half", {}, 0.5));
  add_op(graph, "g", OpKind::kMul, {half, one});
  return graph;
}

TEST(Fold, GeluByTanhInEveryForm) {
  for (int order = 0; order < 2; ++order) {
    const Plan plan = make_plan(gelu_tanh_graph(order, 0.044715), chip(), {});
    EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kGeluTanh}) << order;
    if (order == 1) expect_values(plan);  // a power takes no negative numbers as seeded
    const Plan other = make_plan(gelu_tanh_graph(order, 0.05), chip(), {});
    EXPECT_EQ(other.graph.operators().size(), static_cast<std::size_t>(8 + order));
  }
}

TEST(Fold, NearlyAGeluStays) {
  Graph graph;
  const auto hidden = TensorKind::kHidden;
  const TensorId x = add_tensor(graph, "x", {8, 8}, TensorKind::kInput);
  const TensorId d = add_op(graph, "d", OpKind::kDiv, {x, constant(graph, "sqrt2", {}, 1.41421356)}, {}, hidden);
  const TensorId e = add_op(graph, "e", OpKind::kErf, {d}, {}, hidden);
  const TensorId a = add_op(graph, "a", OpKind::kAdd, {e, constant(graph, "one", {}, 1)}, {}, hidden);
  const TensorId p = add_op(graph, "p", OpKind::kMul, {x, a}, {}, hidden);
  add_op(graph, "g", OpKind::kMul, {p, constant(graph, "third", {}, 1.0 / 3)});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(plan.graph.operators().size(), 5u);
  expect_values(plan);
}

TEST(Fold, SiluInEitherOrder) {
  for (const bool gate_first : {false, true}) {
    Graph graph;
    const TensorId x = add_tensor(graph, "x", {30, 40}, TensorKind::kInput);
    const TensorId gate = add_op(graph, "gate", OpKind::kSigmoid, {x}, {}, TensorKind::kHidden);
    add_op(graph, "silu", OpKind::kMul, gate_first ? std::vector<TensorId>{gate, x} : std::vector<TensorId>{x, gate});
    const Plan plan = make_plan(graph, chip(), {});
    EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kSilu});
    expect_values(plan);
  }
}

TEST(Fold, SigmoidOfAnotherTensorOrReadTwiceIsNoSilu) {
  Graph other;
  const TensorId x = add_tensor(other, "x", {8, 8}, TensorKind::kInput);
  const TensorId y = add_tensor(other, "y", {8, 8}, TensorKind::kInput);
  add_op(other, "product", OpKind::kMul, {y, add_op(other, "gate", OpKind::kSigmoid, {x}, {}, TensorKind::kHidden)});
  EXPECT_EQ(make_plan(other, chip(), {}).graph.operators().size(), 2u);
  Graph twice;
  const TensorId z = add_tensor(twice, "z", {8, 8}, TensorKind::kInput);
  const TensorId gate = add_op(twice, "gate", OpKind::kSigmoid, {z}, {}, TensorKind::kHidden);
  add_op(twice, "product", OpKind::kMul, {z, gate});
  add_op(twice, "again", OpKind::kNeg, {gate});
  EXPECT_EQ(make_plan(twice, chip(), {}).graph.operators().size(), 3u);
}

// x / c of a constant, c / x where it stands first.
Graph division(double c, bool first = false, Shape shape = {}) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {6, 7}, TensorKind::kInput), by = constant(graph, "c", std::move(shape), c);
  add_op(graph, "quotient", OpKind::kDiv, first ? std::vector{by, x} : std::vector{x, by});
  return graph;
}

TEST(Fold, ADivisionByAKnownScalarMultiplies) {
  for (const double c : {8.0, -0.25, 3.0, std::sqrt(128.0)})
    for (const DataType type : {DataType::kFp32, DataType::kBf16, DataType::kFp16}) {
      const Plan plan = make_plan(division(c), chip(), {.type = type});
      ASSERT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kMul}) << c;
      const TensorId factor = plan.graph.op(*plan.graph.find_operator("quotient")).inputs[1];
      EXPECT_EQ(plan.graph.tensor(factor).data->front(), 1 / round_to(type, c)) << c;
      expect_values(plan);
    }
}

TEST(Fold, OtherDivisionsStay) {
  for (const Graph& graph : {division(0), division(0x1p-126), division(8, true), division(8, false, {7})}) {
    const Plan plan = make_plan(graph, chip(), {.type = DataType::kFp32});
    EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kDiv});
  }
}

// The quotient of integers is cut to one.
TEST(Fold, ADivisionOfIntegersStays) {
  Graph graph;
  const TensorId x = graph.add_tensor({.name = "x", .shape = {12}, .kind = TensorKind::kInput, .is_index = true});
  const TensorId by = graph.add_tensor(
      {.name = "c", .shape = {}, .kind = TensorKind::kConstant, .is_index = true, .data = std::vector<double>{8}});
  const TensorId out = graph.add_tensor({.name = "out", .shape = {12}, .kind = TensorKind::kOutput, .is_index = true});
  graph.add_operator({.name = "quotient", .kind = OpKind::kDiv, .inputs = {x, by}, .output = out});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kDiv});
  expect_values(plan);
}

TEST(Fold, BatchNormGoesIntoTheConvolution) {
  Graph graph;
  const auto hidden = TensorKind::kHidden, fixed = TensorKind::kConstant;
  const TensorId x = add_tensor(graph, "x", {1, 4, 8, 8}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {6, 4, 3, 3}, fixed);
  const TensorId c = add_op(graph, "conv", OpKind::kConv, {x, w}, {}, hidden);
  std::vector<TensorId> inputs{c};
  for (const char* name : {"gamma", "beta", "mean", "variance"}) inputs.push_back(add_tensor(graph, name, {6}, fixed));
  const TensorId n = add_op(graph, "norm", OpKind::kBatchNorm, inputs, {}, hidden);
  add_op(graph, "relu", OpKind::kRelu, {n});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kConv});
  EXPECT_EQ(plan.graph.op(plan.order.back()).epilogues.size() + plan.graph.op(plan.order.front()).epilogues.size(), 3u);
  expect_values(plan);
  const Plan apart = make_plan(graph, chip(), {.fuse = false});
  EXPECT_EQ(kinds(apart.graph), (std::vector<OpKind>{OpKind::kConv, OpKind::kMul, OpKind::kRelu, OpKind::kAdd}));
  expect_values(apart);
}

TEST(Fuse, BiasAndActivationOfAMatMulOfHigherRank) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {2, 20, 32}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {32, 48}, TensorKind::kConstant);
  const TensorId b = add_tensor(graph, "b", {1, 1, 48}, TensorKind::kConstant);
  const TensorId p = add_op(graph, "p", OpKind::kMatMul, {x, w}, {}, TensorKind::kHidden);
  add_op(graph, "g", OpKind::kGelu, {add_op(graph, "s", OpKind::kAdd, {b, p}, {}, TensorKind::kHidden)});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kMatMul});
  expect_values(plan);
  expect_values(make_plan(graph, chip({.file = "quad_numa.yaml"}), {.type = DataType::kFp32}));
}

TEST(Fuse, ReadTwiceStaysApart) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {20, 32}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {32, 48}, TensorKind::kConstant);
  const TensorId p = add_op(graph, "p", OpKind::kMatMul, {x, w}, {}, TensorKind::kHidden);
  const TensorId r = add_op(graph, "r", OpKind::kRelu, {p}, {}, TensorKind::kHidden);
  add_op(graph, "s", OpKind::kAdd, {r, p});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(kinds(plan.graph).size(), 3u);
  expect_values(plan);
}

TEST(Fuse, GemmScalesAndWideBiasBecomeOperators) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {20, 32}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {32, 48}, TensorKind::kConstant);
  const TensorId b = add_tensor(graph, "b", {20, 1}, TensorKind::kConstant);
  add_op(graph, "p", OpKind::kMatMul, {x, w, b}, {.alpha = 0.5, .beta = 2});
  expect_values(make_plan(graph, chip(), {}));
}

PlanOptions together() { return {.groups = GroupChoice{}}; }

// scores * scale + mask, and more than one form of each.
TEST(Fuse, ScalesMasksAndResidualsGoIntoTheProduct) {
  for (const Shape& mask : {Shape{1, 1, 1, 24}, {1, 1, 20, 24}, {1, 3, 20, 24}, {1, 3, 1, 24}, {3, 20, 1}, {20, 24}}) {
    Graph graph;
    const auto hidden = TensorKind::kHidden;
    const TensorId q = add_tensor(graph, "q", {1, 3, 20, 16}, TensorKind::kInput);
    const TensorId k = add_tensor(graph, "k", {1, 3, 16, 24}, TensorKind::kInput);
    const TensorId m = add_tensor(graph, "mask", mask, TensorKind::kInput);
    const TensorId p = add_op(graph, "scores", OpKind::kMatMul, {q, k}, {}, hidden);
    const TensorId d = add_op(graph, "scale", OpKind::kDiv, {p, constant(graph, "four", {}, 4)}, {}, hidden);
    add_op(graph, "masked", OpKind::kAdd, {m, d});
    for (const char* file : {"edge_single.yaml", "quad_numa_cache.yaml"}) {
      SCOPED_TRACE(to_string(mask) + " on " + file);
      const Plan plan = make_plan(graph, chip({.file = file}), together());
      EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kMatMul});
      expect_values(plan);
      const Plan apart = make_plan(graph, chip({.file = file}), {.group = Grouping::kNone});
      const bool vector = element_count(mask) == 24;
      EXPECT_EQ(kinds(apart.graph).size(), vector ? 1u : 2u);
      expect_values(apart);
    }
  }
}

// A mask per sample is no view of one over samples and heads: its rows would be repeated.
TEST(Fuse, AMaskPerSampleKeepsTheDimensionsOfTheProduct) {
  Graph graph;
  const TensorId q = add_tensor(graph, "q", {2, 3, 20, 16}, TensorKind::kInput);
  const TensorId k = add_tensor(graph, "k", {2, 3, 16, 24}, TensorKind::kInput);
  const TensorId m = add_tensor(graph, "mask", {2, 1, 1, 24}, TensorKind::kInput);
  add_op(graph, "masked", OpKind::kAdd, {add_op(graph, "scores", OpKind::kMatMul, {q, k}, {}, TensorKind::kHidden), m});
  const Plan plan = make_plan(graph, chip(), together());
  EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kMatMul});
  expect_values(plan);
}

TEST(Fuse, AShortcutGoesIntoTheConvolution) {
  Graph graph;
  const auto hidden = TensorKind::kHidden, fixed = TensorKind::kConstant;
  const TensorId x = add_tensor(graph, "x", {2, 8, 12, 12}, TensorKind::kInput);
  const TensorId c = add_op(graph, "conv", OpKind::kConv, {x, add_tensor(graph, "w", {8, 8, 3, 3}, fixed)},
                            {.pads = {1, 1, 1, 1}}, hidden);
  const TensorId s = add_op(graph, "sum", OpKind::kAdd, {x, c}, {}, hidden);
  add_op(graph, "relu", OpKind::kRelu, {s});
  for (const char* file : {"edge_single.yaml", "quad_smp.yaml"}) {
    const Plan plan = make_plan(graph, chip({.file = file}), together());
    EXPECT_EQ(kinds(plan.graph), std::vector<OpKind>{OpKind::kConv});
    expect_values(plan);
  }
}

// Of two branches the later one takes the sum: the earlier one would have to wait for it.
TEST(Fuse, TheLaterBranchTakesTheSum) {
  Graph graph;
  const auto hidden = TensorKind::kHidden, fixed = TensorKind::kConstant;
  const TensorId x = add_tensor(graph, "x", {32, 32}, TensorKind::kInput);
  const TensorId a =
      add_op(graph, "earlier", OpKind::kMatMul, {x, add_tensor(graph, "v", {32, 32}, fixed)}, {}, hidden);
  const TensorId b = add_op(graph, "later", OpKind::kMatMul, {x, add_tensor(graph, "w", {32, 32}, fixed)}, {}, hidden);
  add_op(graph, "sum", OpKind::kAdd, {b, a});
  const Plan plan = make_plan(graph, chip(), together());
  ASSERT_EQ(plan.graph.operators().size(), 2u);
  EXPECT_TRUE(plan.graph.op(0).epilogues.empty());
  EXPECT_EQ(plan.graph.op(1).epilogues.size(), 1u);
  expect_values(plan);
}

// What is subtracted from: the result is the wrong operand. A gate with another value per image is no vector.
TEST(Fuse, WhatNoEpilogueCanComputeStaysApart) {
  Graph graph;
  const auto hidden = TensorKind::kHidden, fixed = TensorKind::kConstant;
  const TensorId x = add_tensor(graph, "x", {20, 32}, TensorKind::kInput),
                 y = add_tensor(graph, "y", {20, 8}, TensorKind::kInput);
  const TensorId p = add_op(graph, "p", OpKind::kMatMul, {x, add_tensor(graph, "w", {32, 8}, fixed)}, {}, hidden);
  add_op(graph, "difference", OpKind::kSub, {y, p});
  const TensorId i = add_tensor(graph, "image", {2, 4, 6, 6}, TensorKind::kInput);
  const TensorId g = add_tensor(graph, "gate", {2, 5, 1, 1}, TensorKind::kInput);
  const TensorId c = add_op(graph, "c", OpKind::kConv, {i, add_tensor(graph, "f", {5, 4, 1, 1}, fixed)}, {}, hidden);
  add_op(graph, "gated", OpKind::kMul, {c, g});
  const Plan plan = make_plan(graph, chip(), together());
  EXPECT_EQ(kinds(plan.graph).size(), 4u);
  expect_values(plan);
}

// An accumulate buffer of which the operand would leave too little for the tiles.
TEST(Fuse, StaysApartWhereThatIsPredictedToBeFaster) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {256, 256}, TensorKind::kInput);
  const TensorId r = add_tensor(graph, "r", {256, 256}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {256, 256}, TensorKind::kConstant);
  add_op(graph, "sum", OpKind::kAdd, {add_op(graph, "p", OpKind::kMatMul, {x, w}, {}, TensorKind::kHidden), r});
  Hardware small = chip({.file = "edge_single.yaml"});
  EXPECT_EQ(kinds(make_plan(graph, small, {}).graph).size(), 1u);
  small.core.accumulator = 1024;
  EXPECT_EQ(kinds(make_plan(graph, small, {}).graph).size(), 2u);
}

TensorId turn(Graph& graph, TensorId input, std::vector<std::int64_t> permutation,
              TensorKind kind = TensorKind::kHidden) {
  const std::string name = "turn" + std::to_string(graph.operators().size());
  return add_op(graph, name, OpKind::kTranspose, {input}, {.permutation = std::move(permutation)}, kind);
}

TEST(Fuse, MatricesThatATransposeTurnsAreReadAsTheyLie) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {4, 32, 20}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {4, 30, 32}, TensorKind::kInput);
  add_op(graph, "product", OpKind::kMatMul, {turn(graph, a, {0, 2, 1}), turn(graph, b, {0, 2, 1})});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(kinds(plan.graph), (std::vector<OpKind>{OpKind::kMatMul}));
  expect_values(plan);
  EXPECT_EQ(make_plan(graph, chip(), {.fuse = false}).graph.operators().size(), 3u);
}

// Heads of keys: the rows still move, the matrices need not be turned.
TEST(Fuse, ATransposeThatMovesRowsTooStillMovesThem) {
  Graph graph;
  const TensorId q = add_tensor(graph, "q", {1, 3, 20, 16}, TensorKind::kInput);
  const TensorId k = add_tensor(graph, "k", {1, 24, 3, 16}, TensorKind::kInput);
  add_op(graph, "scores", OpKind::kMatMul, {q, turn(graph, k, {0, 2, 3, 1})});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(kinds(plan.graph), (std::vector<OpKind>{OpKind::kMatMul, OpKind::kTranspose}));
  for (const Operator& op : plan.graph.operators())
    if (op.kind == OpKind::kTranspose) {
      EXPECT_EQ(op.attributes.permutation, (std::vector<std::int64_t>{0, 2, 1, 3}));
    }
  expect_values(plan);
}

TEST(Fuse, ATransposeThatOthersNeedStays) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {20, 20}, TensorKind::kInput);
  const TensorId seen = turn(graph, x, {1, 0}, TensorKind::kOutput);
  add_op(graph, "product", OpKind::kMatMul, {x, seen});
  const TensorId both = turn(graph, x, {1, 0});
  add_op(graph, "square", OpKind::kMatMul, {both, both});
  const TensorId k = add_tensor(graph, "k", {20, 3, 16}, TensorKind::kInput), moved = turn(graph, k, {1, 2, 0});
  add_op(graph, "scores", OpKind::kMatMul, {add_tensor(graph, "q", {3, 20, 16}, TensorKind::kInput), moved});
  add_op(graph, "rest", OpKind::kRelu, {moved});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(std::ranges::count(kinds(plan.graph), OpKind::kTranspose), 3);
  for (const Operator& op : plan.graph.operators())
    if (op.kind == OpKind::kMatMul) {
      EXPECT_EQ(op.attributes.transpose_b, op.name == "product") << op.name;
    }
  expect_values(plan);
}

// One product of all rows is better than one for each turned matrix.
TEST(Fuse, BatchesOfOneWeightStayRows) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {4, 32, 20}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {32, 24}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {turn(graph, x, {0, 2, 1}), w});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(kinds(plan.graph), (std::vector<OpKind>{OpKind::kTranspose, OpKind::kMatMul}));
  expect_values(plan);
}

TEST(Types, IntegerNetworksWithFloatOperatorsAreTheUsersError) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {20, 32}, TensorKind::kInput);
  add_op(graph, "s", OpKind::kSoftmax, {x}, {.axis = 1});
  EXPECT_THROW(make_plan(graph, chip(), {.type = DataType::kInt8}), UserError);
}

TEST(Passes, UnknownDumpIsTheUsersError) {
  EXPECT_THROW(make_plan(Graph{}, chip(), {}, {.dump_after = "tyle"}), UserError);
}

}  // namespace
}  // namespace tilewright::test
