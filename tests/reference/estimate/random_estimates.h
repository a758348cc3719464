// How far predictions of time lie from measurements, and how far bounds lie below them: on random chips
// (tests/property/random_chips.h, half of them of several cores) and random operators of every family.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "planner/estimate/communication_bound.h"
#include "planner/estimate/part_time.h"
#include "planner/estimate/program_time.h"
#include "planner/estimate/queue_model/queue_model.h"
#include "planner/estimate/tiling_time.h"
#include "tests/property/random_bounds.h"

namespace tilewright::test {

// Estimates over measurements.
class Ratios {
 public:
  void add(double ratio) { sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), ratio), ratio); }
  std::size_t count() const { return sorted_.size(); }
  double quantile(double share) const { return of(sorted_, share); }
  // Of max(r, 1/r) - 1: 0.1 for an estimate that is 10 % too short or too long.
  double error(double share) const {
    std::vector<double> errors;
    for (const double ratio : sorted_) errors.push_back(std::max(ratio, 1 / ratio) - 1);
    std::sort(errors.begin(), errors.end());
    return of(errors, share);
  }

 private:
  static double of(const std::vector<double>& sorted, double share) {
    return sorted.at(static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1))));
  }
  std::vector<double> sorted_;
};

class RandomEstimates : public RandomPoints {
 public:
  // Family of operators, estimate.
  using Key = std::pair<std::string, std::string>;

  // Only what takes at least `least` cycles counts: shorter operators are latency, which only the queue model knows.
  RandomEstimates(std::uint64_t seed, int chips, double least)
      : RandomPoints(seed, random_chips(seed, chips, Variety::kAlike)), copies_(seed, kMaxCopied), least_(least) {}

  void run(int cases) {
    for (int i = 0; i < cases && !testing::Test::HasFatalFailure(); ++i) {
      // The families in turn on each chip before the next.
      Session& session = *sessions_[static_cast<std::size_t>(i / kFamilies) % sessions_.size()];
      SCOPED_TRACE(fmt::format("case {} on\n{}", i, to_yaml(session.hardware())));
      measure_case(session, i % kFamilies);
    }
  }

  const std::map<Key, Ratios>& predictions() const { return predictions_; }
  const std::map<Key, Ratios>& bounds() const { return bounds_; }

 private:
  static constexpr int kFamilies = 6;
  static constexpr std::int64_t kMaxCopied = 20000;

  void measure_case(Session& session, int family) {
    switch (family) {
      case 0:
        return measure_plan(session, "product", product());
      case 1:
        return measure_plan(session, "convolution", convolution());
      case 2:
        return measure_plan(session, "rows", rows());
      case 3:
        return measure_plan(session, "element-wise", element_wise());
      case 4:
        return measure_plan(session, "movement", movement());
      default:
        return measure_copy_case(session);
    }
  }

  // From 1 on, every octave as often as any other.
  std::int64_t octaves(std::int64_t most) {
    const double share = static_cast<double>(between(0, 1'000'000)) / 1e6;
    return std::llround(std::pow(static_cast<double>(most), share));
  }

  Graph one(OpKind kind, const std::vector<Shape>& shapes, Attributes attributes = {}) {
    Graph graph;
    Operator op{.name = "op", .kind = kind};
    op.attributes = std::move(attributes);
    for (std::size_t i = 0; i < shapes.size(); ++i)
      op.inputs.push_back(
          add(graph, fmt::format("in{}", i).c_str(), shapes[i], i == 0 ? TensorKind::kInput : TensorKind::kConstant));
    return finish(std::move(graph), std::move(op));
  }

  Graph product() {
    const std::int64_t m = octaves(400), k = octaves(1000), n = octaves(400);
    const std::int64_t batch = one_of<std::int64_t>({1, 1, 1, between(2, 6)});
    if (batch == 1) return one(OpKind::kMatMul, {{m, k}, {k, n}});
    return one(OpKind::kMatMul, {{batch, m, k}, {batch, k, n}});
  }

  Graph convolution() {
    const std::int64_t kernel = one_of<std::int64_t>({1, 3, 3, 5}), stride = one_of<std::int64_t>({1, 1, 2});
    const std::int64_t channels = octaves(64), outputs = octaves(64), pad = between(0, kernel / 2);
    const bool depthwise = between(0, 4) == 0;
    const Shape x{between(1, 2), channels, between(8, 28), between(8, 28)};
    if (depthwise)
      return one(OpKind::kConv, {x, {channels, 1, kernel, kernel}},
                 {.strides = {stride, stride}, .pads = {pad, pad, pad, pad}, .groups = channels});
    return one(OpKind::kConv, {x, {outputs, channels, kernel, kernel}},
               {.strides = {stride, stride}, .pads = {pad, pad, pad, pad}});
  }

  Graph rows() {
    const std::int64_t count = octaves(600), length = octaves(600), side = between(6, 24), channels = octaves(64);
    const OpKind pool = one_of({OpKind::kMaxPool, OpKind::kAveragePool});
    switch (between(0, 3)) {
      case 0:
        return one(OpKind::kSoftmax, {{count, length}}, {.axis = 1});
      case 1:
        return one(OpKind::kLayerNorm, {{count, length}, {length}, {length}}, {.axis = 1});
      case 2:
        return one(OpKind::kReduceMean, {{count, length}}, {.axes = {1}});
      default:
        return one(pool, {{1, channels, side, side}}, {.window = {3, 3}, .strides = {2, 2}, .pads = {1, 1, 1, 1}});
    }
  }

  Graph element_wise() {
    const Shape shape{octaves(600), octaves(600)}, other = one_of<Shape>({shape, {shape[1]}});
    const OpKind unary = one_of({OpKind::kRelu, OpKind::kGelu, OpKind::kExp});
    const OpKind binary = one_of({OpKind::kAdd, OpKind::kMul, OpKind::kDiv});
    return between(0, 1) == 0 ? one(unary, {shape}) : one(binary, {shape, other});
  }

  Graph movement() {
    const std::int64_t a = octaves(300), b = octaves(300), c = between(1, 6), begin = between(1, b);
    const auto permutation = one_of<Shape>({{0, 2, 1}, {1, 0, 2}, {2, 1, 0}});
    switch (between(0, 2)) {
      case 0:
        return one(OpKind::kTranspose, {{c, a, b}}, {.permutation = permutation});
      case 1:
        return one(OpKind::kConcat, {{a, b}, {a, c}}, {.axis = 1});
      default:
        return one(OpKind::kSlice, {{a, b + 1}}, {.axes = {1}, .starts = {begin}, .ends = {b + 1}, .steps = {1}});
    }
  }

  void measure_plan(Session& session, const std::string& family, const Graph& graph) {
    const DataType type = random_type();
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    try {
      const Plan plan = make_plan(graph, session.hardware(), {.type = type});
      if (operators_roofline_of(plan).compulsory_bytes == 0)
        return;  // nothing is left to do, e.g. of a slice that keeps all
      const auto measured = static_cast<double>(measure(session, plan).cycles);
      predict(family, "queue model", queue_model_cycles(plan.hardware, plan.program), measured);
      predict(family, "instruction stream", stream_estimate(plan), measured);
      predict(family, "order", order_estimate(plan), measured);
      bound(family, "roofline", operators_roofline_of(plan).cycles(), measured);
      if (is_contraction(plan.graph.op(0).kind)) measure_contraction(session, family, plan, measured);
    } catch (const UserError&) {  // too little memory
    }
  }

  void measure_contraction(Session& session, const std::string& family, const Plan& plan, double measured) {
    const Operator& op = plan.graph.op(0);
    const OperatorPlan& planned = plan.operators[0];
    double tiled = 0, grid = 0;
    for (std::size_t i = 0; i < planned.split.items.size(); ++i) {
      const auto part = make_contraction(plan, op, planned.split.items[i]);
      const PredictionInput input = prediction_input(plan, op, *part, planned.split.items.size());
      tiled = std::max(tiled, predicted_cycles(input, planned.tilings[i]));
      const Reduction reduction = planned.labels.output.reduction;
      grid =
          std::max(grid, part_cycles(plan, *part) + reduction_cycles(plan, *part, partials_of(planned, i), reduction));
    }
    predict(family, "grid of parts", grid, measured);
    // A sum that cores share also waits for its partial results.
    if (planned.partials.empty()) predict(family, "tiling", tiled, measured);
    if (has_communication_bound(plan, 0))
      bound(family, "communication", least_communication_bound(plan, 0, plan.hardware.cores()).cycles(), measured);
    bound_tiling(session, family, plan);
  }

  // Parts that share the box of an item.
  static std::int64_t partials_of(const OperatorPlan& planned, std::size_t item) {
    const auto& items = planned.split.items;
    return std::count_if(items.begin(), items.end(),
                         [&](const WorkItem& other) { return other.output == items[item].output; });
  }

  void bound_tiling(Session& session, const std::string& family, const Plan& plan) {
    const TilingPoint point = point_of(plan, 0);
    PlanOptions options = plan.options;
    options.choices = {choice_of(point, plan.graph, 0, plan.hardware, options.type)};
    if (!check_choice(options.choices[0], plan.graph, plan.hardware, options.type).empty()) return;
    const Measurement run = measure(session, make_plan(plan.graph, plan.hardware, options));
    bound(family, "tiling", tiling_bound(tiling_problem(plan, 0), point).cycles, static_cast<double>(run.cycles));
  }

  void measure_copy_case(Session& session) {
    const CopyCase one = copies_.next_whole();
    if (overlaps_itself(one.to.side.view)) return;
    const TracedCopy copy{
        "random", random_type(), {one.from.side.layout, one.from.side.view}, {one.to.side.layout, one.to.side.view}};
    SCOPED_TRACE(RandomCopies::describe(one));
    const CopyJob job = direct_copy(copy);
    Plan plan;
    plan.hardware = session.hardware();
    plan.program = make_copy_program(session.hardware(), job).program;
    const auto measured = static_cast<double>(measure_copy(session, job, copy, false).cycles);
    predict("copy", "queue model", queue_model_cycles(plan.hardware, plan.program), measured);
    predict("copy", "instruction stream", stream_estimate(plan), measured);
    const CopyBound least = copy_bound(one.from.side, one.to.side);
    const auto bytes = static_cast<double>((least.read + least.written) * bytes_of(copy.type));
    bound("copy", "placement", bytes / dram_peak(plan.hardware) / placement_limit(plan.hardware, copy, least),
          measured);
  }

  void predict(const std::string& family, const char* name, double cycles, double measured) {
    if (measured >= least_) predictions_[{family, name}].add(cycles / measured);
  }
  void bound(const std::string& family, const char* name, double cycles, double measured) {
    EXPECT_LE(cycles, measured * (1 + 1e-9)) << name;
    if (measured >= least_) bounds_[{family, name}].add(cycles / measured);
  }

  RandomCopies copies_;
  double least_;
  std::map<Key, Ratios> predictions_, bounds_;
};

}  // namespace tilewright::test
