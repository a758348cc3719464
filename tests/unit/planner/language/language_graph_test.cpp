// Graphs of language models: their work, and their values on simulated programs.
#include "planner/import/language/language_graph.h"

#include <fmt/format.h>

#include "sim/base/random.h"
#include "tests/support/property.h"
#include "tests/unit/planner/language/small_models.h"
#include "tests/unit/planner/passes/plan_support.h"

namespace tilewright::test {
namespace {

std::int64_t macs(const Graph& graph) {
  std::int64_t total = 0;
  for (const Operator& op : graph.operators()) total += mac_count(graph, op);
  return total;
}

// Elements of all constants without given values.
std::int64_t weights(const Graph& graph) {
  std::int64_t total = 0;
  for (const Tensor& tensor : graph.tensors())
    if (tensor.kind == TensorKind::kConstant && !tensor.data) total += element_count(tensor.shape);
  return total;
}

// Multiply-adds of rotary embeddings, which the model's work does not count.
std::int64_t rotation_macs(const LanguageModel& model) {
  const LanguageConfig& c = model.config;
  return c.rotary ? c.layers * model.rows() * (c.heads + c.key_value_heads) * c.head_dim * c.head_dim : 0;
}

TEST(LanguageGraph, DecodeDoesTheWorkOfTheModel) {
  for (const auto& [name, json] : small_models()) {
    if (name == "bert") continue;
    SCOPED_TRACE(name);
    const ConfigFile file(name, json);
    const LanguageModel model = file.model(kStep);
    EXPECT_EQ(macs(language_graph(model, DataType::kBf16)),
              work_of(model, DataType::kBf16).macs + rotation_macs(model));
  }
}

TEST(LanguageGraph, PrefillDoesTheWorkOfTheModelAndThePairsThatTheMaskHides) {
  for (const auto& [name, json] : small_models()) {
    SCOPED_TRACE(name);
    const ConfigFile file(name, json);
    const LanguageModel model = file.model(kPrompt);
    const LanguageConfig& c = model.config;
    const std::int64_t window = std::min<std::int64_t>(c.window.value_or(7), 7);
    std::int64_t seen = 0;
    for (std::int64_t token = 0; token < 7; ++token) seen += std::min(token + 1, window);
    const std::int64_t hidden = c.encoder ? 0 : 7 * 7 - seen;
    EXPECT_EQ(
        macs(language_graph(model, DataType::kFp32)),
        work_of(model, DataType::kFp32).macs + rotation_macs(model) + 2 * c.layers * c.heads * c.head_dim * 2 * hidden);
  }
}

TEST(LanguageGraph, HasTheWeightsOfTheModel) {
  for (const auto& [name, json] : small_models()) {
    if (json["model_type"] == "mixtral") continue;  // only experts with tokens are in the graph
    SCOPED_TRACE(name);
    const ConfigFile file(name, json);
    const LanguageModel model = file.model({.context = 64});
    const std::int64_t token_type = model.config.encoder ? model.config.hidden : 0;
    EXPECT_EQ(weights(language_graph(model, DataType::kFp32)) * 4,
              work_of(model, DataType::kFp32).weights + token_type * 4);
  }
}

constexpr WeightFormat kFormats[] = {{8, 0}, {8, 5}, {4, 8}, {4, 7}, {4, 0}};

TEST(LanguageGraph, PackedWeightsHaveTheBytesOfTheModel) {
  for (const auto& [name, json] : small_models())
    for (const WeightFormat& format : kFormats) {
      if (json["model_type"] == "mixtral" || json["model_type"] == "bert") continue;
      SCOPED_TRACE(fmt::format("{} {} {}", name, format.bits, format.group_size));
      const ConfigFile file(name, json);
      const LanguageModel model = file.model({.context = 64, .weights = format});
      Bytes bytes = 0;
      const Graph graph = language_graph(model, DataType::kFp16);
      for (const Tensor& tensor : graph.tensors())
        if (tensor.kind == TensorKind::kConstant && !tensor.data)
          bytes += element_count(tensor.shape) * bytes_of(stored_type(tensor, DataType::kFp16));
      EXPECT_EQ(bytes, work_of(model, DataType::kFp16).weights);
    }
}

TEST(LanguageGraph, PackedWeightsGiveTheValuesOfTheReferenceInEveryFamily) {
  std::size_t next = 0;
  for (const auto& [name, json] : small_models())
    for (LanguageRun run : {kPrompt, kStep}) {
      if (name == "bert" && run.phase == LanguagePhase::kDecode) continue;
      SCOPED_TRACE(name + (run.phase == LanguagePhase::kDecode ? " decode" : " prefill"));
      run.weights = kFormats[next++ % std::size(kFormats)];
      const ConfigFile file(name, json);
      const Graph graph = language_graph(file.model(run), DataType::kFp32);
      expect_values(make_plan(graph, chip(), {.type = DataType::kFp32}));
      expect_values(make_plan(graph, chip({.file = "quad_numa_cache.yaml"}), {.type = DataType::kBf16}));
    }
}

TEST(LanguageGraph, PublishedModelsHaveTheirPublishedNumberOfWeights) {
  const auto parameters = [](const std::string& name) {
    const auto model = read_language_model(TILEWRIGHT_SOURCE_DIR "/traces/llm/" + name + ".json", {});
    return work_of(model, DataType::kInt8).weights;
  };
  EXPECT_EQ(parameters("llama_3_8b"), 8'030'261'248);
  EXPECT_EQ(parameters("llama_2_7b"), 6'738'415'616);
  EXPECT_EQ(parameters("llama_3_2_1b"), 1'235'814'400);
  EXPECT_EQ(parameters("mistral_7b"), 7'241'732'096);
  EXPECT_EQ(parameters("qwen2_7b"), 7'615'616'512);
  EXPECT_EQ(parameters("gemma_2b"), 2'506'172'416);
  EXPECT_EQ(parameters("mixtral_8x7b"), 46'702'792'704);
  EXPECT_EQ(parameters("gpt2"), 124'439'808);
}

TEST(LanguageGraph, ValuesAreThoseOfTheReferenceInEveryFamilyAndPhase) {
  for (const auto& [name, json] : small_models())
    for (const LanguageRun& run : {kPrompt, kStep}) {
      if (name == "bert" && run.phase == LanguagePhase::kDecode) continue;
      SCOPED_TRACE(name + (run.phase == LanguagePhase::kDecode ? " decode" : " prefill"));
      const ConfigFile file(name, json);
      const Graph graph = language_graph(file.model(run), DataType::kFp32);
      expect_values(make_plan(graph, chip(), {.type = DataType::kFp32}));
      expect_values(make_plan(graph, chip({.file = "quad_numa_cache.yaml"}), {.type = DataType::kFp16}));
    }
}

// Sizes of any model of the family, heads that share keys unevenly sized included.
Json random_model(SplitMix64& random, Json json) {
  const std::int64_t keys = 1 + random.below(3), heads = keys * (1 + random.below(3));
  const bool old = json["model_type"] == "gpt2" || json["model_type"] == "bert";
  const std::int64_t hidden = heads * 2 * (1 + random.below(8));
  json[old && json.contains("n_head") ? "n_head" : "num_attention_heads"] = heads;
  json[json.contains("n_embd") ? "n_embd" : "hidden_size"] = hidden;
  if (!old) json["num_key_value_heads"] = keys, json["head_dim"] = 2 * (1 + random.below(9));
  if (!json.contains("n_embd")) json["intermediate_size"] = 1 + random.below(70);
  json["vocab_size"] = 1 + random.below(90);
  if (json.contains("sliding_window")) json["sliding_window"] = 1 + random.below(9);
  return json;
}

LanguageRun random_run(SplitMix64& random, bool decodes) {
  LanguageRun run{.phase = decodes ? LanguagePhase::kDecode : LanguagePhase::kPrefill};
  run.batch = 1 + random.below(4);
  run.context = (decodes ? 0 : 1) + random.below(20);
  run.routing_seed = random.next();
  return run;
}

TEST(LanguageGraph, ModelsOfAnySizesComputeTheValuesOfTheReference) {
  const test::Property wanted = test::property(7, 3);
  SplitMix64 random(wanted.seed);
  const char* const chips[] = {"quad_smp.yaml", "quad_numa.yaml", "dual_cluster_cache.yaml"};
  for (int round = 0; round < wanted.cases; ++round)
    for (const auto& [name, json] : small_models()) {
      const Json model = random_model(random, json);
      const LanguageRun run = random_run(random, name != "bert" && random.below(2) == 0);
      SCOPED_TRACE(model.dump() + fmt::format(" batch {} context {}", run.batch, run.context));
      const ConfigFile file(name, model);
      const Graph graph = language_graph(file.model(run), DataType::kFp32);
      expect_values(make_plan(graph, chip({.file = chips[round % 3]}), {.type = DataType::kFp32}));
    }
}

TEST(LanguageGraph, ACacheIsAppendedToWhereItLies) {
  const ConfigFile file("llama", decoder("llama"));
  const Graph graph = language_graph(file.model(kStep), DataType::kFp32);
  const Plan plan = make_plan(graph, chip(), {.type = DataType::kFp32});
  const TensorId past = *plan.graph.find_tensor("block1.past_key");
  const TensorId all = *plan.graph.find_tensor("block1.key.append.out");
  EXPECT_EQ(plan.tensors[past].alias_of, all);
  for (const CoreProgram& core : plan.program.cores)
    for (const Instruction& instruction : core.instructions)
      if (plan.program.operators[instruction.op] == "block1.key.append")
        if (const auto* transfer = std::get_if<Transfer>(&instruction.payload)) {
          std::int64_t elements = 1;
          for (const std::int64_t size : transfer->shape) elements *= size;
          EXPECT_LE(elements, 3 * 2 * 6);  // one token's keys of all sequences
        }
}

TEST(LanguageGraph, AWindowBoundsTheCache) {
  const ConfigFile file("mistral", with(decoder("mistral"), {{"sliding_window", 5}}));
  LanguageRun run = kStep;
  run.context = 40;
  EXPECT_EQ(file.model(run).cached(), 4);
  run.context = 3;
  EXPECT_EQ(file.model(run).cached(), 3);
}

TEST(LanguageGraph, TheStepSimulatedIsTheOneInTheMiddle) {
  const ConfigFile file("llama", decoder("llama"));
  LanguageRun run = kStep;
  run.new_tokens = 9;
  EXPECT_EQ(file.model(run).cached(), 6 + 4);
}

TEST(Routing, IsDrawnBySeedOrGiven) {
  const ConfigFile file("mixtral", small_models()[5].second);
  LanguageRun run{.context = 20};
  const Routing drawn = file.model(run).routing;
  EXPECT_EQ(drawn, file.model(run).routing);
  for (const auto& token : drawn) {
    EXPECT_EQ(token.size(), 2u);
    EXPECT_LT(token[0], token[1]);
  }
  run.routing_seed = 2;
  EXPECT_NE(drawn, file.model(run).routing);
  const ConfigFile routing("routing", Json{{3, 1}, {4, 0}});
  run.context = 2, run.routing = routing.path();
  EXPECT_EQ(file.model(run).routing, (Routing{{1, 3}, {0, 4}}));
}

TEST(Routing, ReadsTheExpertsThatHaveTokens) {
  const ConfigFile file("mixtral", small_models()[5].second), routing("routing", Json{{1, 2}});
  const LanguageModel one = file.model({.context = 1, .routing = routing.path()});
  const LanguageModel all = file.model({.context = 60});
  const Bytes expert = 3 * 24 * 40 * 2, norms_and_rows = 59 * 24 * 2;
  EXPECT_EQ(work_of(all, DataType::kBf16).weights_read - work_of(one, DataType::kBf16).weights_read,
            2 * 3 * expert + norms_and_rows);
}

}  // namespace
}  // namespace tilewright::test
