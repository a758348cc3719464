// The first block of a plan stands for the others: its part of the program runs by itself and holds all of it.
#include "planner/search/tiling/first_block.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "planner/estimate/queue_model/queue_model.h"
#include "planner/graph/block_names.h"
#include "planner/import/language/language_graph.h"
#include "sim/isa/verify/verify.h"
#include "tests/unit/planner/language/small_models.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

Graph graph_of(const std::string& name, const Json& json, const LanguageRun& run) {
  Graph graph = language_graph(ConfigFile(name, json).model(run), DataType::kBf16);
  graph.repeats = true;
  return graph;
}

// Instructions of every operator of the program.
std::vector<std::size_t> instructions_by_operator(const Program& program) {
  std::vector<std::size_t> counts(program.operators.size(), 0);
  for (const CoreProgram& core : program.cores)
    for (const Instruction& instruction : core.instructions) ++counts[instruction.op];
  return counts;
}

void expect_first_block(const Plan& plan) {
  const Program first = program_of_first_block(plan);
  for (const Violation& violation : find_violations(first, plan.hardware, 10'000))
    EXPECT_THAT(violation.reason, testing::HasSubstr("is left over at the end"));
  const auto whole = instructions_by_operator(plan.program), kept = instructions_by_operator(first);
  std::size_t first_blocks = 0;
  for (std::size_t op = 1; op < whole.size(); ++op) {
    EXPECT_TRUE(kept[op] == whole[op] || kept[op] == 0) << plan.program.operators[op];
    if (plan.program.operators[op].starts_with(block_prefix(2))) {
      EXPECT_EQ(kept[op], 0u);
    }
    if (plan.program.operators[op].starts_with(block_prefix(1))) first_blocks += kept[op];
  }
  EXPECT_GT(first_blocks, 0u);
  EXPECT_LT(queue_model_cycles(plan.hardware, first), queue_model_cycles(plan.hardware, plan.program));
}

TEST(TheFirstBlock, RunsByItself) {
  for (const auto& [name, json] : small_models())
    for (const LanguageRun& run : {kPrompt, kStep}) {
      if (name == "bert" && run.phase == LanguagePhase::kDecode) continue;
      for (const char* file : {"edge_single.yaml", "dual_cluster_cache.yaml", "quad_numa.yaml"})
        for (const EarlyLoads early : {EarlyLoads::kNone, EarlyLoads::kAlways}) {
          SCOPED_TRACE(fmt::format("{} on {}", name, file));
          PlanOptions options{.type = DataType::kBf16};
          options.early_loads = early;
          expect_first_block(make_plan(graph_of(name, json, run), chip({file}), options));
        }
    }
}

TEST(TheFirstBlock, OfANetworkWithoutBlocksIsAllOfIt) {
  Graph graph;
  const TensorId a = add_tensor(graph, "a", {24, 32}, TensorKind::kInput);
  const TensorId b = add_tensor(graph, "b", {32, 16}, TensorKind::kConstant);
  add_op(graph, "product", OpKind::kMatMul, {a, b});
  const Plan plan = make_plan(graph, chip(), {});
  EXPECT_EQ(program_of_first_block(plan), plan.program);
}

}  // namespace
}  // namespace tilewright::test
