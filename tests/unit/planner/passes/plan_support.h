// Plans of small graphs on chips cut down from hw_configs/, executed by the interpreter.
#pragma once

#include <gtest/gtest.h>

#include "planner/emit/chain/chain.h"
#include "planner/emit/chain/row_sums.h"
#include "planner/emit/window_chain/window_chain.h"
#include "planner/measure/check.h"
#include "planner/passes/pass.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "tests/support/interpreter/interpreter.h"

namespace tilewright::test {

struct Small {
  const char* file = "quad_smp.yaml";
  Bytes buffer_a = 0, buffer_b = 0, accumulator = 0;  // 0: as in the file
};

inline Hardware chip(const Small& small = {}) {
  Hardware hardware = load_hardware(std::string(TILEWRIGHT_SOURCE_DIR) + "/hw_configs/" + small.file);
  if (small.buffer_a) hardware.core.buffer_a = small.buffer_a;
  if (small.buffer_b) hardware.core.buffer_b = small.buffer_b;
  if (small.accumulator) hardware.core.accumulator = small.accumulator;
  return hardware;
}

// The chip with so much DRAM, evenly in its channels.
inline Hardware with_memory(Hardware hardware, Bytes bytes) {
  hardware.dram.channel_capacity = bytes / hardware.dram.channels;
  return hardware;
}

// What compare_values() needs of a program that has run.
inline std::vector<SegmentData> final_bytes(const Plan& plan, Interpreter& interpreter) {
  std::vector<SegmentData> segments;
  for (const std::string& name : tensor_segments(plan)) segments.push_back({name, interpreter.segment(name)});
  for (const ClusterBytes& place : tensors_in_clusters(plan)) {
    const auto begin = interpreter.cluster(place.cluster).begin() + place.address;
    segments.push_back({place.name, {begin, begin + place.bytes}});
  }
  return segments;
}

// Runs a linked plan on the interpreter and compares every operator.
inline void expect_values(const Plan& plan) {
  Interpreter interpreter(plan.program, plan.hardware);
  for (const SegmentData& data : initial_data(plan, 1)) interpreter.segment(data.segment) = data.bytes;
  interpreter.run();
  std::int64_t macs = 0;
  for (const Operator& op : plan.graph.operators()) macs += mac_count(plan.graph, op);
  EXPECT_EQ(interpreter.macs(), macs + macs_repeated(plan) + macs_of_row_sums(plan) - macs_left_out(plan));
  const CheckReport report = compare_values(plan, final_bytes(plan, interpreter));
  for (const OperatorCheck& check : report.operators)
    EXPECT_TRUE(check.passed()) << plan.graph.op(check.op).name << ": error " << check.worst_error << " of scale "
                                << check.scale;
}

// The least of a buffer of edge_single, in steps of 64 bytes, in which a plan can be made; the plan's values are right.
inline Bytes least_buffer(const Graph& graph, Hardware hardware, Bytes CoreSpec::*buffer, const PlanOptions& options) {
  for (Bytes bytes = 64; bytes <= 65536; bytes += 64) {
    hardware.core.*buffer = bytes;
    try {
      expect_values(make_plan(graph, hardware, options));
      return bytes;
    } catch (const UserError&) {
      // too small
    }
  }
  ADD_FAILURE() << "no buffer of 64 KiB or less holds it";
  return 65536;
}

// Operators together run in the least of each buffer that a plan can be made in, and are refused in less.
inline void expect_least_buffers(const Graph& graph, const PlanOptions& together) {
  for (Bytes CoreSpec::*buffer : {&CoreSpec::accumulator, &CoreSpec::buffer_a, &CoreSpec::buffer_b}) {
    Hardware hardware = chip({.file = "edge_single.yaml"});
    hardware.core.*buffer = least_buffer(graph, hardware, buffer, together) - 64;
    try {
      make_plan(graph, hardware, together);
      ADD_FAILURE() << "planned in too small a buffer";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("buffer"), std::string::npos) << error.what();
    }
  }
}

// As a file of one group tells.
inline PlanOptions grouped(std::vector<std::string> operators) {
  PlanOptions options;
  options.groups = GroupChoice{.groups = {{std::move(operators), "file:1"}}, .source = "file"};
  return options;
}
inline PlanOptions attention_group() { return grouped({"scores", "softmax", "context"}); }

inline TensorId add_tensor(Graph& graph, const std::string& name, Shape shape, TensorKind kind) {
  return graph.add_tensor({.name = name, .shape = std::move(shape), .kind = kind});
}

// Adds an operator named as its output, whose shape is inferred.
inline TensorId add_op(Graph& graph, const std::string& name, OpKind kind, std::vector<TensorId> inputs,
                       Attributes attributes = {}, TensorKind output = TensorKind::kOutput) {
  Operator op{.name = name, .kind = kind, .inputs = std::move(inputs), .attributes = std::move(attributes)};
  op.output = graph.add_tensor({.name = name + ".out", .shape = infer_shape(graph, op), .kind = output});
  const TensorId id = op.output;
  graph.add_operator(std::move(op));
  return id;
}

// x -> left -> small and x -> right -> little, each a mean of its branch over columns; the two meet in a sum.
inline Graph branches(Shape shape_of_x) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", std::move(shape_of_x), TensorKind::kInput);
  const TensorId left = add_op(graph, "left", OpKind::kRelu, {x}, {}, TensorKind::kHidden);
  const TensorId small = add_op(graph, "small", OpKind::kReduceMean, {left}, {.axes = {1}}, TensorKind::kHidden);
  const TensorId right = add_op(graph, "right", OpKind::kTanh, {x}, {}, TensorKind::kHidden);
  const TensorId little = add_op(graph, "little", OpKind::kReduceMean, {right}, {.axes = {1}}, TensorKind::kHidden);
  add_op(graph, "sum", OpKind::kAdd, {little, small});
  return graph;
}

// x[rows..., width] -> silu(gate) * up, `hidden` wide -> down.
inline Graph gated_layer(Shape rows, std::int64_t width, std::int64_t hidden) {
  Graph graph;
  rows.push_back(width);
  const TensorId x = add_tensor(graph, "x", rows, TensorKind::kInput);
  const TensorId gate_w = add_tensor(graph, "gate.w", {width, hidden}, TensorKind::kConstant);
  const TensorId up_w = add_tensor(graph, "up.w", {width, hidden}, TensorKind::kConstant);
  const TensorId down_w = add_tensor(graph, "down.w", {hidden, width}, TensorKind::kConstant);
  const TensorId gate = add_op(graph, "gate", OpKind::kMatMul, {x, gate_w}, {}, TensorKind::kHidden);
  const TensorId swish = add_op(graph, "swish", OpKind::kSilu, {gate}, {}, TensorKind::kHidden);
  const TensorId up = add_op(graph, "up", OpKind::kMatMul, {x, up_w}, {}, TensorKind::kHidden);
  const TensorId gated = add_op(graph, "gated", OpKind::kMul, {swish, up}, {}, TensorKind::kHidden);
  add_op(graph, "down", OpKind::kMatMul, {gated, down_w});
  return graph;
}

// x0 [rows, widths[0]] -> p1 [rows, widths[1]] -> p2 ..., products with the constants w1, w2 ..., and, if told, x0
// added to the last one's result and a softmax of its rows.
inline Graph product_chain(std::int64_t rows, const std::vector<std::int64_t>& widths, bool shares = false,
                           bool residual = false) {
  Graph graph;
  const TensorId first = add_tensor(graph, "x0", {rows, widths[0]}, TensorKind::kInput);
  const TensorKind last = shares ? TensorKind::kHidden : TensorKind::kOutput;
  TensorId x = first;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const std::string number = std::to_string(i);
    const TensorId weights = add_tensor(graph, "w" + number, {widths[i - 1], widths[i]}, TensorKind::kConstant);
    const auto kept = i + 1 == widths.size() && !residual ? last : TensorKind::kHidden;
    x = add_op(graph, "p" + number, OpKind::kMatMul, {x, weights}, {}, kept);
  }
  if (residual) x = add_op(graph, "residual", OpKind::kAdd, {x, first}, {}, last);
  if (shares) add_op(graph, "shares", OpKind::kSoftmax, {x}, {.axis = 1});
  return graph;
}

// x [rows, in] -> up [rows, between] -> down [rows, out] -> shares, a softmax over `axis`.
inline Graph wide_between(std::int64_t rows, std::int64_t in, std::int64_t between, std::int64_t out, int axis) {
  Graph graph;
  const TensorId x = add_tensor(graph, "x", {rows, in}, TensorKind::kInput);
  const TensorId w = add_tensor(graph, "w", {in, between}, TensorKind::kConstant);
  const TensorId v = add_tensor(graph, "v", {between, out}, TensorKind::kConstant);
  const TensorId wide = add_op(graph, "up", OpKind::kMatMul, {x, w}, {}, TensorKind::kHidden);
  const TensorId narrow = add_op(graph, "down", OpKind::kMatMul, {wide, v}, {}, TensorKind::kHidden);
  add_op(graph, "shares", OpKind::kSoftmax, {narrow}, {.axis = axis});
  return graph;
}

// Products with a softmax, and a mask if told, between them.
struct Attention {
  std::int64_t heads = 3, rows = 40, keys = 72, width = 24;
  std::optional<double> above;  // known mask: above the diagonal this is added, below it 0
  std::optional<double> root;   // scores are divided by it
};

inline Graph attention(const Attention& a) {
  Graph graph;
  const TensorId q = add_tensor(graph, "q", {a.heads, a.rows, a.width}, TensorKind::kInput);
  const TensorId k = add_tensor(graph, "k", {a.heads, a.width, a.keys}, TensorKind::kInput);
  const TensorId v = add_tensor(graph, "v", {a.heads, a.keys, a.width}, TensorKind::kInput);
  TensorId scores = add_op(graph, "scores", OpKind::kMatMul, {q, k}, {}, TensorKind::kHidden);
  if (a.root) {
    const TensorId root = graph.add_tensor(
        {.name = "root", .shape = {}, .kind = TensorKind::kConstant, .data = std::vector<double>{*a.root}});
    scores = add_op(graph, "scaled", OpKind::kDiv, {scores, root}, {}, TensorKind::kHidden);
  }
  if (a.above) {
    std::vector<double> values;
    for (std::int64_t row = 0; row < a.rows; ++row)
      for (std::int64_t key = 0; key < a.keys; ++key) values.push_back(key > row ? *a.above : 0);
    const TensorId mask = graph.add_tensor(
        {.name = "mask", .shape = {1, a.rows, a.keys}, .kind = TensorKind::kConstant, .data = std::move(values)});
    scores = add_op(graph, "masked", OpKind::kAdd, {scores, mask}, {}, TensorKind::kHidden);
  }
  const TensorId p = add_op(graph, "softmax", OpKind::kSoftmax, {scores}, {.axis = 2}, TensorKind::kHidden);
  add_op(graph, "context", OpKind::kMatMul, {p, v});
  return graph;
}

// 1 MiB of scores, and as much behind the softmax.
inline Graph long_attention() { return attention({.heads = 2, .rows = 512, .keys = 512, .width = 16}); }

// Names of operators in the order in which they run.
using Labels = std::vector<std::string>;

}  // namespace tilewright::test
