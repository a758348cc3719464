// Random networks whose results stay in cluster memory, chosen by predicted time or drawn, on random chips that have
// some: every program is legal, its addresses are those of its labels, and it computes the right values.
#pragma once

#include "planner/ir/access.h"
#include "tests/property/random_plans.h"

namespace tilewright::test {

class RandomStores : public RandomPlans {
 public:
  RandomStores(std::uint64_t seed, int chips) : RandomPlans(seed, random_chips(seed, chips)) {}

  void run(int cases) {
    for (int i = 0; i < cases; ++i) run_network(*sessions_[i % sessions_.size()]);
    EXPECT_GT(8 * kept_, cases - 8);  // half of many do; of few it may be one
  }

 private:
  static std::vector<Hardware> random_chips(std::uint64_t seed, int count) {
    std::mt19937_64 random(seed ^ 0x5707E5);
    const auto below = [&](std::uint64_t most) { return static_cast<int>(random() % most); };
    std::vector<Hardware> chips;
    for (int i = 0; i < count; ++i) {
      const std::array files{"dual_cluster_cache", "quad_numa_cache", "quad_smp_cache", "label_example_cache",
                             "tpu_v4_like_cache"};
      Hardware chip =
          load_hardware(fmt::format("{}/hw_configs/{}.yaml", TILEWRIGHT_SOURCE_DIR, files[i % files.size()]));
      ClusterMemorySpec& memory = *chip.cluster_memory;
      memory.ways = 8;
      memory.addressed_ways = 1 + below(7);
      memory.capacity = memory.ways * memory.line_bytes * (1 << (2 + below(7)));
      chip.core.matmul.rate[static_cast<int>(DataType::kFp32)] = 0.5;
      chip.core.buffer_a = 256 * (4 + below(60));
      chip.core.buffer_b = 256 * (4 + below(60));
      chip.core.accumulator = 256 * (4 + below(60));
      chips.push_back(std::move(chip));
    }
    return chips;
  }

  std::string next_name() { return fmt::format("t{}", number_++); }

  TensorId append(Graph& graph, OpKind kind, std::vector<TensorId> inputs, Attributes attributes = {}) {
    const std::string name = next_name();
    Operator op{.name = name, .kind = kind, .inputs = std::move(inputs), .attributes = std::move(attributes)};
    op.output = add(graph, (name + ".out").c_str(), infer_shape(graph, op), TensorKind::kHidden);
    const TensorId out = op.output;
    graph.add_operator(std::move(op));
    return out;
  }

  TensorId product(Graph& graph, TensorId rows) {
    const Shape& shape = graph.tensor(rows).shape;
    const std::string name = next_name() + ".w";
    const TensorId weights = add(graph, name.c_str(), {shape.back(), random_size(90)}, TensorKind::kConstant);
    return append(graph, OpKind::kMatMul, {rows, weights});
  }

  TensorId reshaped(Graph& graph, TensorId from, Shape shape) {
    const std::string name = next_name();
    const TensorId out = add(graph, (name + ".out").c_str(), std::move(shape), TensorKind::kHidden);
    graph.add_operator({.name = name, .kind = OpKind::kReshape, .inputs = {from}, .output = out});
    return out;
  }

  TensorId grown(Graph& graph, TensorId from) {
    const Shape shape = graph.tensor(from).shape;
    switch (between(0, 7)) {
      case 0:
        return append(graph, OpKind::kRelu, {from});
      case 1:
        return append(graph, OpKind::kSoftmax, {from}, {.axis = 1});
      case 2:
        return append(graph, OpKind::kTranspose, {from}, {.permutation = {1, 0}});
      case 3:
        return append(graph, OpKind::kAdd, {from, append(graph, OpKind::kTanh, {from})});
      case 4:
        return append(graph, OpKind::kConcat, {from, product(graph, from)}, {.axis = 1});
      case 5:
        return reshaped(graph, from, {shape[0] * shape[1], 1});
      default:
        return product(graph, from);
    }
  }

  Graph random_network() {
    Graph graph;
    number_ = 0;
    TensorId last = add(graph, "x", {random_size(120), random_size(90)}, TensorKind::kInput);
    const std::int64_t steps = between(2, 7);
    for (std::int64_t i = 0; i < steps; ++i) last = grown(graph, last);
    const std::string name = next_name();
    const TensorId out = add(graph, (name + ".out").c_str(), graph.tensor(last).shape, TensorKind::kOutput);
    graph.add_operator({.name = name, .kind = OpKind::kSigmoid, .inputs = {last}, .output = out});
    return graph;
  }

  // Some of what the program keeps, each in any cluster or near its writers.
  StoreChoice random_stores(const Plan& plan) {
    StoreChoice choice;
    for (TensorId id = 0; id < std::ssize(plan.tensors); ++id) {
      const TensorPlan& placed = plan.tensors[id];
      const Tensor& tensor = plan.graph.tensor(id);
      const bool hidden = tensor.kind == TensorKind::kHidden && tensor.producer && placed.alias_of < 0;
      if (!hidden || placed.pieces.empty() || between(0, 2) == 0) continue;
      const auto cluster = static_cast<int>(between(0, plan.hardware.clusters));
      choice.rows.push_back({{tensor.name}, {StoreLevel::kCluster, cluster}, "drawn"});
    }
    return choice;
  }

  void run_network(Session& session) {
    const DataType type = one_of({DataType::kBf16, DataType::kFp16, DataType::kFp32});
    const Graph graph = random_network();
    SCOPED_TRACE(describe(graph, type, session.hardware()));
    PlanOptions options = random_options(session.hardware(), type);
    std::optional<Plan> plan = planned(graph, session.hardware(), options);
    if (!plan) return;
    if (between(0, 1) == 0) {
      options.groups = plan->options.groups;
      options.stores = random_stores(*plan);
      if (std::optional<Plan> given = fitting(graph, session.hardware(), options)) plan = std::move(given);
    }
    bool kept = false;
    for (TensorId id = 0; id < std::ssize(plan->tensors); ++id) kept |= lies_in_cluster_memory(*plan, id);
    kept_ += kept ? 1 : 0;
    expect_values(session, *plan);
  }

  // Fewer of the drawn stores until they have room.
  std::optional<Plan> fitting(const Graph& graph, const Hardware& hardware, PlanOptions options) {
    for (; !options.stores->rows.empty(); options.stores->rows.pop_back()) {
      try {
        return make_plan(graph, hardware, options);
      } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("has no room for"), std::string::npos) << error.what();
      }
    }
    return std::nullopt;
  }

  int number_ = 0, kept_ = 0;
};

}  // namespace tilewright::test
