// Random products and convolutions on random small chips, simulated with values: every plan is legal, ends, computes
// the right numbers, counts the operator's multiply-adds, and respects the bounds.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <optional>

#include "planner/estimate/roofline.h"
#include "planner/ir/partials.h"
#include "planner/measure/check.h"
#include "planner/measure/measure.h"
#include "planner/passes/decompose/decompose.h"
#include "planner/search/tiling/plan_network.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"
#include "sim/hw/config/resolve_parts.h"
#include "tests/support/property.h"
#include "tests/support/random_draws.h"
#include "tests/support/reductions.h"

namespace tilewright::test {

class RandomPlans : public RandomDraws {
 public:
  // All sessions of a process are made before the first one runs.
  RandomPlans(std::uint64_t seed, int chips) : RandomDraws(seed) {
    for (int i = 0; i < chips; ++i) sessions_.push_back(std::make_unique<Session>(random_chip()));
  }
  RandomPlans(std::uint64_t seed, const std::vector<Hardware>& chips) : RandomDraws(seed) {
    for (const Hardware& chip : chips) sessions_.push_back(std::make_unique<Session>(chip));
  }

  void draw_types(std::vector<DataType> types) { types_ = std::move(types); }

  void run(int cases) {
    draw(cases);
    expect_most_planned();
  }

  void draw(int cases) {
    asked_ += cases;
    for (int i = 0; i < cases; ++i) {
      const DataType type = random_type();
      const bool grouped = type != DataType::kInt8 && between(0, 1) == 0;
      const Graph graph = i % 2 == 0 ? random_matmul(grouped) : random_conv(grouped);
      run_case(*sessions_[i % sessions_.size()], graph, type);
    }
  }

  // Of all that was drawn.
  void expect_most_planned() const {
    // Most random shapes can be planned; were they all refused, nothing would have been tested.
    EXPECT_GT(2 * planned_, asked_);
    // A third is asked for in parts; of few cases it may be none.
    EXPECT_GT(24 * decomposed_, asked_ - 24) << "hardly any was cut";
  }

 protected:
  Hardware random_chip() {
    const char* file =
        one_of({"edge_single", "dual_cluster", "dual_cluster_cache", "quad_smp", "quad_numa", "quad_numa_cache"});
    Hardware chip = load_hardware(fmt::format("{}/hw_configs/{}.yaml", TILEWRIGHT_SOURCE_DIR, file));
    chip.core.buffer_a = between(1, 64) * 256;
    chip.core.buffer_b = between(1, 64) * 256;
    chip.core.accumulator = between(1, 64) * 256;
    MatmulSpec& matmul = chip.core.matmul;
    matmul.rows = static_cast<int>(between(1, 16));
    matmul.columns = static_cast<int>(between(1, 16));
    matmul.arrays = static_cast<int>(between(1, 3));
    matmul.block_m = static_cast<int>(between(1, 32));
    matmul.block_n = static_cast<int>(between(1, 32));
    matmul.dataflow = one_of({Dataflow::kOutputStationary, Dataflow::kWeightStationary});
    matmul.overlap = one_of({TileOverlap::kNone, TileOverlap::kWeights, TileOverlap::kFull});
    matmul.rate[static_cast<int>(DataType::kFp32)] = 0.5;
    matmul.rate[static_cast<int>(DataType::kFp8E4m3)] = matmul.rate[static_cast<int>(DataType::kFp8E5m2)] = 1;
    chip.core.control.unit_queue = static_cast<int>(between(1, 16));
    if (between(0, 2) == 0) chip.dram.interleave_bytes = chip.dram.pseudo_interleave_bytes = chip.dram.burst_bytes;
    if (chip.clusters > 1 && between(0, 2) == 0) add_kinds(chip);
    if (chip.clusters > 1 && chip.cluster_memory && between(0, 1) == 0) add_adders(chip.network);
    return chip;
  }

  void add_adders(NetworkSpec& network) {
    network.multicast = one_of({2, 256});
    network.reduction = one_of({1, 8});
    network.router.buffer_flits = 40;
    network.attach_adders();
  }

  // All clusters but the first have other arrays and buffers, and perhaps no memory.
  void add_kinds(Hardware& chip) {
    ClusterKind first{1, chip.core, chip.cluster_memory}, others{chip.clusters - 1, chip.core, chip.cluster_memory};
    others.core.buffer_a = between(1, 64) * 256;
    others.core.accumulator = between(1, 64) * 256;
    others.core.matmul.rows = static_cast<int>(between(1, 16));
    others.core.matmul.columns = static_cast<int>(between(1, 16));
    others.core.vector.lanes = static_cast<int>(between(1, 32));
    if (between(0, 1) == 0) others.memory.reset();
    chip.kinds = {first, others};
    count_on_what_all_have(chip);
  }

  DataType random_type() { return one_of(types_); }
  // Ones, primes and sizes beyond every buffer.
  std::int64_t random_size(std::int64_t most) {
    return one_of<std::int64_t>({1, 2, 7, 13, 31, 61, between(1, most), between(1, most), most});
  }

  static TensorId add(Graph& graph, const char* name, Shape shape, TensorKind kind) {
    return graph.add_tensor({.name = name, .shape = std::move(shape), .kind = kind});
  }
  // Maybe with operators behind it that could be computed together with it.
  Graph finish(Graph graph, Operator op, bool grouped = false) {
    const Shape shape = infer_shape(graph, op);
    TensorId result = op.output = add(graph, "result", shape, grouped ? TensorKind::kHidden : TensorKind::kOutput);
    const bool matrices = op.kind == OpKind::kMatMul;
    graph.add_operator(std::move(op));
    if (!grouped) return graph;
    if (between(0, 2) == 0) result = behind(graph, OpKind::kRelu, {result}, TensorKind::kHidden);
    if (between(0, 2) == 0) {
      const TensorId half =
          graph.add_tensor({.name = "half", .shape = {1}, .kind = TensorKind::kConstant, .data = {{0.5}}});
      result = behind(graph, one_of({OpKind::kMul, OpKind::kDiv}), {result, half}, TensorKind::kHidden);
    }
    Shape other = shape;
    for (std::size_t d = 0; matrices && d < other.size(); ++d)
      if (between(0, 2) == 0) other[d] = 1;
    const TensorId operand = add(graph, "operand", other, TensorKind::kInput);
    behind(graph, one_of({OpKind::kAdd, OpKind::kSub, OpKind::kMul}), {result, operand}, TensorKind::kOutput);
    return graph;
  }
  static TensorId behind(Graph& graph, OpKind kind, std::vector<TensorId> inputs, TensorKind kept) {
    const std::string name = fmt::format("then{}", graph.operators().size());
    const TensorId out = add(graph, (name + ".out").c_str(), graph.tensor(inputs[0]).shape, kept);
    graph.add_operator({.name = name, .kind = kind, .inputs = std::move(inputs), .output = out});
    return out;
  }

  Graph random_matmul(bool grouped = false) {
    Graph graph;
    Operator op{.name = "product", .kind = OpKind::kMatMul};
    op.attributes.transpose_a = between(0, 3) == 0;
    op.attributes.transpose_b = between(0, 1) == 0;
    const bool small = between(0, 4) == 0;  // several of which a core moves at a time
    const std::int64_t m = small ? between(1, 9) : random_size(150), k = small ? between(1, 70) : random_size(400),
                       n = small ? between(1, 20) : random_size(150);
    Shape a{m, k}, b{k, n};
    if (op.attributes.transpose_a) std::swap(a[0], a[1]);
    if (op.attributes.transpose_b) std::swap(b[0], b[1]);
    if (small || between(0, 3) == 0) {
      const std::int64_t batch = small ? between(8, 40) : between(1, 5);
      a.insert(a.begin(), batch);
      if (small || between(0, 1) == 0) b.insert(b.begin(), batch);
    }
    op.inputs = {add(graph, "a", a, TensorKind::kInput), add(graph, "b", b, TensorKind::kConstant)};
    if (between(0, 1) == 0) op.inputs.push_back(add(graph, "bias", {n}, TensorKind::kConstant));
    return finish(std::move(graph), std::move(op), grouped);
  }

  Graph random_conv(bool grouped = false) {
    Graph graph;
    Operator op{.name = "conv", .kind = OpKind::kConv};
    const std::int64_t groups = one_of<std::int64_t>({1, 1, 2, 5}), kh = between(1, 4), kw = between(1, 4);
    const std::int64_t channels = groups * between(1, 9), outputs = groups * between(1, 13);
    Attributes& a = op.attributes;
    a.groups = groups;
    a.strides = {between(1, 3), between(1, 3)};
    a.dilations = {between(1, 2), between(1, 2)};
    a.pads = {between(0, kh - 1), between(0, kw - 1), between(0, kh - 1), between(0, kw - 1)};
    const Shape x{between(1, 3), channels, between(7, 20), between(7, 20)};
    op.inputs = {add(graph, "x", x, TensorKind::kInput),
                 add(graph, "w", {outputs, channels / groups, kh, kw}, TensorKind::kConstant)};
    if (between(0, 1) == 0) op.inputs.push_back(add(graph, "bias", {outputs}, TensorKind::kConstant));
    return finish(std::move(graph), std::move(op), grouped);
  }

  static std::string describe(const Graph& graph, DataType type, const Hardware& hardware) {
    std::string text = fmt::format("{} on {} (a {}, b {}, acc {}):", name_of(type), hardware.name,
                                   hardware.core.buffer_a, hardware.core.buffer_b, hardware.core.accumulator);
    for (const Tensor& tensor : graph.tensors()) text += fmt::format(" {} {}", tensor.name, to_string(tensor.shape));
    return text;
  }

  PlanOptions random_options(const Hardware& hardware, DataType type) {
    PlanOptions options{.type = type};
    options.parallel = one_of({Parallel::kData, Parallel::kModel, Parallel::kHybrid, Parallel::kFree, Parallel::kFree});
    options.placement = one_of({Placement::kLocal, Placement::kRoundRobin});
    options.cores = static_cast<int>(one_of<std::int64_t>({0, 0, between(1, hardware.cores())}));
    options.by_speed = !hardware.kinds.empty() && options.parallel == Parallel::kFree && between(0, 1) == 0;
    options.rounding = one_of({Rounding::kFloor, Rounding::kCeil, Rounding::kNearest});
    // Everything together, the planner's choice, or nothing.
    if (between(0, 2) == 0) options.groups.emplace();
    options.group = one_of({Grouping::kAuto, Grouping::kAuto, Grouping::kNone});
    options.early_loads = one_of({EarlyLoads::kAuto, EarlyLoads::kAlways});
    const bool adds = network_adds(hardware, {StoreLevel::kCluster});
    if (between(0, 2) == 0)
      options.strategies = reduced_by(static_cast<Reduction>(between(0, kReductionCount - 2 + adds)));
    return options;
  }

  // Nothing where the chip has too little memory, or the sum is too short to be cut as asked: the refusals there may
  // be.
  std::optional<Plan> planned(const Graph& graph, const Hardware& hardware, const PlanOptions& options) {
    try {
      // As users plan, every fourth time: it takes some five times as long.
      return planned_ % 4 == 0 ? plan_network(graph, hardware, options) : make_plan(graph, hardware, options);
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::AnyOf(testing::HasSubstr("bytes"), testing::HasSubstr("its sum can be cut")));
      return std::nullopt;
    }
  }

  static std::string describe(const CheckReport& report) {
    const auto* worst = report.worst();
    return worst == nullptr ? "nothing was compared"
                            : fmt::format("error {} of scale {}", worst->worst_error, worst->scale);
  }

  // The right values, and the same time without them.
  static Measurement expect_values(Session& session, const Plan& plan) {
    RunOptions with_values = value_run(plan, 1);
    with_values.causes = true;  // the run refuses an account that does not add up
    Measurement run = measure(session, plan, with_values);
    const CheckReport report = compare_values(plan, run.result.kept);
    EXPECT_TRUE(report.worst() != nullptr && report.passed()) << describe(report);
    EXPECT_EQ(measure(session, plan).cycles, run.cycles) << "values change the time";
    return run;
  }

  // The operators of `names` computed together; nothing where the chip has too little memory.
  std::optional<Plan> run_together(Session& session, const Graph& graph, const std::vector<std::string>& names,
                                   DataType type) {
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    PlanOptions options{.type = type};
    options.groups = GroupChoice{.groups = {{names, ""}}};
    options.cores = static_cast<int>(one_of<std::int64_t>({0, 0, between(1, session.hardware().cores())}));
    options.share_memory = between(0, 3) == 0;
    options.early_loads = one_of({EarlyLoads::kAuto, EarlyLoads::kAlways});
    std::optional<Plan> plan = planned(graph, session.hardware(), options);
    if (plan) expect_values(session, *plan);
    return plan;
  }

  void run_case(Session& session, const Graph& graph, DataType type) {
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    PlanOptions options = random_options(session.hardware(), type);
    if (options.parallel == Parallel::kFree && graph.op(0).kind == OpKind::kMatMul && between(0, 2) == 0)
      options.choices = {{.op = 0, .sums = between(2, 4)}};
    SCOPED_TRACE(fmt::format("{}, {} cores", kParallelNames[static_cast<int>(options.parallel)], options.cores));
    const std::optional<Plan> plan = planned(graph, session.hardware(), options);
    if (!plan) return;
    ++planned_;
    expect_counts(*plan, graph, expect_values(session, *plan));
    if (planned_ % 3 == 0) run_in_parts(session, graph, *plan);
  }

  // Decomposed by a share of what it needs: the same values, as many multiply-adds, and no memory besides.
  void run_in_parts(Session& session, const Graph& graph, const Plan& whole) {
    PlanOptions options = whole.options;
    options.groups.reset();
    options.choices.clear();  // of operators that are whole
    options.decompose_above = std::max<Bytes>(1, data_of(whole, whole.graph.op(0)) / (2 + planned_ % 5));
    SCOPED_TRACE(fmt::format("in parts of {} bytes", options.decompose_above));
    const std::optional<Plan> parts = planned(graph, session.hardware(), options);
    if (!parts) return;
    decomposed_ += parts->graph.operators().size() > whole.graph.operators().size();
    const Measurement run = expect_values(session, *parts);
    std::int64_t macs = 0;
    for (const OperatorResult& op : run.result.operators)
      for (const Event event : kMacEvents) macs += op.events[static_cast<int>(event)];
    EXPECT_EQ(macs, mac_count(graph, graph.op(0)));
  }

  void expect_counts(const Plan& plan, const Graph& graph, const Measurement& run) {
    EventCounts total{};
    for (const OperatorResult& op : run.result.operators)
      for (int event = 0; event < kEventCount; ++event) total[event] += op.events[event];
    auto count = [&](Event event) { return total[static_cast<int>(event)]; };
    std::int64_t macs = 0;
    for (const Event event : kMacEvents) macs += count(event);
    EXPECT_EQ(macs, mac_count(graph, graph.op(0)));
    const Roofline bound = operators_roofline_of(plan);
    EXPECT_GE(count(Event::kDramReadBytes) + count(Event::kDramWriteBytes), bound.compulsory_bytes);
    EXPECT_GE(static_cast<double>(run.cycles), bound.cycles());
    EXPECT_GT(run.energy_pj, 0);
  }

  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<DataType> types_{DataType::kBf16, DataType::kFp16, DataType::kFp32, DataType::kInt8};
  int asked_ = 0, planned_ = 0, decomposed_ = 0;
};

// `cases` of a property on `chips` random chips, both of the seed.
template <typename Random, typename... Each>
void run_random(std::uint64_t seed, int chips, int cases, Each... each) {
  const Property wanted = property(seed, cases);
  Random(wanted.seed, chips).run(wanted.cases, each...);
}

}  // namespace tilewright::test
