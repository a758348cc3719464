// Networks with quantised tensors on random chips, half of them of several cores: what the chip computes equals the
// reference to the last bit, and the reference what QuantizeLinear rounds by its definition.
#include "planner/measure/check.h"
#include "planner/measure/measure.h"
#include "planner/passes/pass.h"
#include "planner/reference/evaluate.h"
#include "sim/base/error.h"
#include "tests/property/quantised/random_quantised.h"
#include "tests/property/random_chips.h"
#include "tests/support/property.h"

namespace tilewright::test {
namespace {

TensorValues reference_of(const Graph& graph, const std::string& name) {
  return *evaluate(graph, graph.find_tensor(name).value(), [&](TensorId id) {
    const Tensor& tensor = graph.tensor(id);
    return std::optional(initial_values(graph, id, stored_type(tensor, DataType::kFp32), kValueSeed));
  });
}

// Of floats that lie between two levels, to the last digits of fp32, either is right.
void expect_rounded(const RandomQuantised::Rounded& rounded, const TensorValues& floats, const TensorValues& levels) {
  ASSERT_EQ(floats.size(), levels.size());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const double steps = floats[i] / rounded.scale, slack = 1e-4 + 1e-6 * std::abs(steps);
    const auto level = [&](double value) {
      return std::clamp(std::nearbyint(value) + rounded.zero, rounded.low, rounded.low + 255);
    };
    EXPECT_TRUE(levels[i] == level(steps - slack) || levels[i] == level(steps + slack))
        << rounded.from << "[" << i << "] = " << floats[i] << ": " << levels[i] << " of scale " << rounded.scale;
  }
}

TEST(RandomQuantised, RoundsAsTheDefinitionSays) {
  const Property wanted = property(3, 150);
  RandomQuantised random(wanted.seed);
  for (int i = 0; i < wanted.cases; ++i) {
    const RandomQuantised::Model model = random.next();
    const Graph graph = import_model_text(model.text);
    for (const RandomQuantised::Rounded& one : model.rounded)
      expect_rounded(one, reference_of(graph, one.from), reference_of(graph, one.to));
    if (testing::Test::HasFailure()) FAIL() << "case " << i << "\n" << model.network;
  }
}

bool is_float(const Graph& graph, TensorId id) {
  return !graph.tensor(id).is_index && graph.tensor(id).fixed_type != DataType::kInt8;
}

TEST(RandomQuantised, LeavesNoFloatsBetweenLevels) {
  RandomQuantised random(property(4, 0).seed);
  int floats = 0;
  for (int i = 0; i < 100; ++i) {
    const Graph graph = import_model_text(random.next().network);
    for (const Operator& op : graph.operators())
      floats += op.kind != OpKind::kDequantize && op.kind != OpKind::kIdentity && is_float(graph, op.output);
  }
  // Grouped convolutions whose weights have a zero point that cannot be taken off.
  EXPECT_LT(floats, 25);
}

TEST(RandomQuantised, EqualTheReferenceOnRandomChips) {
  const Property wanted = property(5, 60);
  RandomQuantised random(wanted.seed);
  RandomChips chips(wanted.seed);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 8; ++i) sessions.push_back(std::make_unique<Session>(chips.next()));
  int planned = 0;
  for (int i = 0; i < wanted.cases; ++i) {
    const RandomQuantised::Model model = random.next();
    Session& session = *sessions[i % sessions.size()];
    const DataType type = i % 3 == 0 ? DataType::kFp32 : DataType::kBf16;
    std::optional<Plan> plan;
    try {
      plan = make_plan(import_model_text(model.network), session.hardware(), {.type = type});
    } catch (const UserError&) {  // e.g. a buffer too small for one tile
      continue;
    }
    ++planned;
    const RunResult result = session.run(plan->program, value_run(*plan, kValueSeed));
    const CheckReport report = compare_values(*plan, result.kept);
    EXPECT_TRUE(report.passed()) << "case " << i << "\n" << model.network;
  }
  EXPECT_GT(2 * planned, wanted.cases);
}

}  // namespace
}  // namespace tilewright::test
