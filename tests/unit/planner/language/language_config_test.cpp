// Configuration files of language models: what is read, and what is refused how.
#include "planner/import/language/language_config.h"

#include <gmock/gmock.h>

#include "sim/base/error.h"
#include "tests/support/bad_file.h"
#include "tests/unit/planner/language/small_models.h"

namespace tilewright::test {
namespace {

using testing_support::message_of;

LanguageConfig read(const Json& json) {
  const ConfigFile file("config_under_test", json);
  return read_language_config(file.path());
}

// What stands behind the file's name.
std::string fault(const Json& json) {
  const std::string message = message_of([&] { read(json); });
  return message.empty() ? message : message.substr(message.find(".json") + 5);
}

std::string fault(const Json& json, const LanguageRun& run) {
  const ConfigFile file("config_under_test", json);
  const std::string message = message_of([&] { static_cast<void>(file.model(run)); });
  return message.empty() ? message : message.substr(message.find(".json") + 5);
}

TEST(LanguageConfig, ReadsEveryFamily) {
  const LanguageConfig llama = read(decoder("llama"));
  EXPECT_EQ(llama.heads_per_key(), 2);
  EXPECT_EQ(llama.head_dim, 6);
  EXPECT_FALSE(llama.query_key_value_bias || llama.tied || llama.window);
  EXPECT_TRUE(read(decoder("qwen2")).query_key_value_bias);
  EXPECT_TRUE(read(decoder("gemma")).tied && read(decoder("gemma")).scale_embedding);
  EXPECT_EQ(read(decoder("gemma")).activation, OpKind::kGeluTanh);
  for (const auto& [name, json] : small_models()) EXPECT_EQ(fault(json), "") << name;
}

Json quantised(const Json& quantization) { return with(decoder("llama"), {{"quantization_config", quantization}}); }

TEST(LanguageConfig, ReadsHowWeightsAreStored) {
  EXPECT_EQ(read(decoder("llama")).weights, WeightFormat{});
  const Json gptq{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}, {"sym", true}, {"desc_act", false}};
  EXPECT_EQ(read(quantised(gptq)).weights, (WeightFormat{4, 128}));
  const Json awq{{"quant_method", "awq"}, {"bits", 8}, {"group_size", -1}, {"zero_point", false}};
  EXPECT_EQ(read(quantised(awq)).weights, (WeightFormat{8, 0}));
  const ConfigFile file("config_under_test", quantised(gptq));
  EXPECT_EQ(file.model({.context = 8, .weights = WeightFormat{}}).config.weights, WeightFormat{});
}

TEST(LanguageConfig, NamesWhatIsWrongWithStoredWeights) {
  EXPECT_EQ(fault(quantised({{"quant_method", "bitsandbytes"}})),
            ": quantization_config.quant_method: got \"bitsandbytes\", expected gptq|awq");
  EXPECT_EQ(fault(quantised({{"quant_method", "gptq"}, {"bits", 3}, {"sym", false}})),
            ": quantization_config.bits: got 3, expected 4|8; quantization_config: zero points of each group are not "
            "supported, expected sym true, zero_point false; quantization_config.group_size: is missing");
}

TEST(LanguageConfig, OldConfigurationsHaveKeysForEachHead) {
  Json json = decoder("llama");
  json.erase("num_key_value_heads");
  EXPECT_EQ(read(json).key_value_heads, 4);
  json["model_type"] = "mistral";
  EXPECT_EQ(fault(json), ": num_key_value_heads: is missing");
}

TEST(LanguageConfig, NamesEveryMissingKeyAtOnce) {
  EXPECT_EQ(fault({{"model_type", "gpt2"}, {"n_layer", 2}, {"n_head", "3"}}),
            ": n_embd: is missing; n_head: got \"3\", expected a count from 1; vocab_size: is missing; n_positions: is "
            "missing");
}

TEST(LanguageConfig, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(fault({{"model_type", "t5"}}),
            ": model_type: got \"t5\", expected llama|mistral|qwen2|gemma|gpt2|bert|mixtral");
  EXPECT_EQ(fault(Json::object()), ": model_type: is missing, expected llama|mistral|qwen2|gemma|gpt2|bert|mixtral");
  EXPECT_EQ(fault(Json::array()), ": got [], expected an object of keys");
  EXPECT_EQ(fault(with(decoder("llama"), {{"hidden_act", "mish"}})),
            ": hidden_act: got \"mish\", expected silu|swish|gelu|gelu_new|gelu_fast|gelu_pytorch_tanh|relu|tanh");
  EXPECT_EQ(fault(with(decoder("llama"), {{"rope_scaling", {{"type", "yarn"}}}})),
            ": rope_scaling: type \"yarn\" is not supported, expected default|linear|llama3");
  EXPECT_EQ(fault(with(decoder("llama"), {{"num_key_value_heads", 3}})),
            ": 4 attention heads do not share 3 key-value heads evenly");
  EXPECT_EQ(fault(with(decoder("llama"), {{"head_dim", 5}})),
            ": heads of 5 elements have no halves for rotary embeddings");
  EXPECT_EQ(fault(with(decoder("llama"), {{"head_dim", 4096}})), "");
  EXPECT_EQ(fault(with(decoder("llama"), {{"head_dim", 4098}})),
            ": head_dim: got 4098, expected at most 4096 with rotary embeddings");
  EXPECT_EQ(fault(with(decoder("mixtral"), {{"num_local_experts", 2}, {"num_experts_per_tok", 3}})),
            ": num_experts_per_tok: got 3 of 2 experts");
}

// Products of such counts do not fit 64 bits, or experts' choices no memory.
TEST(LanguageConfig, RefusesModelsTooLargeToCount) {
  const std::int64_t most = std::int64_t{1} << 30;
  EXPECT_THAT(fault(with(decoder("llama"), {{"vocab_size", most + 1}})), testing::HasSubstr("vocab_size: got"));
  EXPECT_THAT(fault(with(decoder("llama"), {{"vocab_size", most}})), "");
  for (const auto& [family, key] : {std::pair{"llama", "num_hidden_layers"}, std::pair{"llama", "intermediate_size"},
                                    std::pair{"mixtral", "num_local_experts"}})
    EXPECT_THAT(fault(with(decoder(family),
                           {{key, most}, {"hidden_size", 1 << 20}, {"head_dim", 64}, {"num_experts_per_tok", 2}})),
                testing::HasSubstr(" parameters, expected at most 1.76e+13"))
        << key;
}

TEST(LanguageConfig, NamesTheLineOfWhatIsNoJson) {
  const ConfigFile file("broken", {});
  file.write("{\n  \"a\": 1,\n  b\n}\n");
  EXPECT_EQ(message_of([&] { read_language_config(file.path()); }), file.path() + ":3: is no JSON");
  file.write(R"({"model_type": 4E444})");
  EXPECT_EQ(message_of([&] { read_language_config(file.path()); }), file.path() + ": a number is beyond 1.8e308");
}

TEST(LanguageRun, AsksForNoMoreThanTheModelHas) {
  EXPECT_EQ(fault(decoder("llama"), {.context = 64}), "");
  EXPECT_EQ(fault(decoder("llama"), {.context = 65}), ": 65 tokens, but the model has 64 positions");
  EXPECT_EQ(fault(decoder("llama"), {.phase = LanguagePhase::kDecode, .context = 60, .new_tokens = 4}), "");
  EXPECT_EQ(fault(decoder("llama"), {.phase = LanguagePhase::kDecode, .context = 60, .new_tokens = 5}),
            ": 65 tokens, but the model has 64 positions");
  EXPECT_EQ(fault(decoder("llama"), {.context = 0}), ": a prompt of 0 tokens, expected 1 or more");
  EXPECT_EQ(fault(decoder("llama"), {.new_tokens = 2}), ": 2 new tokens in phase prefill, expected phase decode");
  EXPECT_EQ(fault(small_models().back().second, {.phase = LanguagePhase::kDecode}),
            ": family 'bert' has no next token: expected phase prefill");
  EXPECT_THAT(fault(decoder("llama"), {.batch = std::int64_t{1} << 50, .context = 4}),
              testing::HasSubstr(" multiply-adds in a step, expected at most 2.88e+17"));
  EXPECT_THAT(
      fault(with(decoder("mixtral"), {{"num_local_experts", 1 << 27}, {"num_experts_per_tok", 2}}), {.context = 4}),
      testing::HasSubstr(" choices between a token and an expert, expected at most 2.68e+08"));
}

TEST(LanguageRun, RefusesARoutingThatIsNone) {
  const Json mixtral = small_models()[5].second;
  const auto given = [&](const Json& routing, const Json& model) {
    const ConfigFile file("routing", routing);
    return fault(model, {.context = 2, .routing = file.path()});
  };
  EXPECT_EQ(given({{0, 1}}, mixtral), ": expected a list of 2 tokens, each a list of experts");
  EXPECT_EQ(given({{0, 1}, {2, 2}}, mixtral), ": token 1: expected 2 distinct experts below 5");
  EXPECT_EQ(given({{0, 5}, {2, 1}}, mixtral), ": token 0: expected 2 distinct experts below 5");
  EXPECT_EQ(given({{0, 1, 2}, {2, 1}}, mixtral), ": token 0: expected 2 distinct experts below 5");
}

}  // namespace
}  // namespace tilewright::test
