// Configurations of a few hundred weights, one of every family.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "planner/import/language/language_model.h"
#include "tests/support/files.h"
#include "tests/support/scratch_folder.h"

namespace tilewright::test {

using Json = nlohmann::json;

// Keys that llama and those after it share; 4 query heads share 2 key heads.
inline Json decoder(const std::string& family) {
  return {{"model_type", family},   {"hidden_size", 24},        {"intermediate_size", 40},
          {"num_hidden_layers", 2}, {"num_attention_heads", 4}, {"num_key_value_heads", 2},
          {"vocab_size", 50},       {"rms_norm_eps", 1e-5},     {"max_position_embeddings", 64}};
}

inline Json with(Json json, const Json& more) {
  json.update(more);
  return json;
}

inline std::vector<std::pair<std::string, Json>> small_models() {
  return {{"llama", decoder("llama")},
          {"llama_stretched", with(decoder("llama"), {{"head_dim", 8},
                                                      {"attention_bias", true},
                                                      {"tie_word_embeddings", true},
                                                      {"rope_scaling",
                                                       {{"rope_type", "llama3"},
                                                        {"factor", 8},
                                                        {"low_freq_factor", 1},
                                                        {"high_freq_factor", 4},
                                                        {"original_max_position_embeddings", 16}}}})},
          {"mistral", with(decoder("mistral"), {{"sliding_window", 5}})},
          {"qwen2", decoder("qwen2")},
          {"gemma", with(decoder("gemma"), {{"num_key_value_heads", 1}, {"head_dim", 10}})},
          {"mixtral", with(decoder("mixtral"), {{"num_local_experts", 5}, {"num_experts_per_tok", 2}})},
          {"gpt2",
           {{"model_type", "gpt2"},
            {"n_embd", 24},
            {"n_layer", 2},
            {"n_head", 3},
            {"n_positions", 64},
            {"vocab_size", 50}}},
          {"bert",
           {{"model_type", "bert"},
            {"hidden_size", 24},
            {"intermediate_size", 40},
            {"num_hidden_layers", 2},
            {"num_attention_heads", 3},
            {"vocab_size", 50},
            {"max_position_embeddings", 64}}}};
}

inline const LanguageRun kPrompt{.batch = 2, .context = 7};
inline const LanguageRun kStep{.phase = LanguagePhase::kDecode, .batch = 3, .context = 6};

// A file for one test.
class ConfigFile {
 public:
  ConfigFile(const std::string& name, const Json& json)
      : folder_("language_" + name), path_(folder_.path() / (name + ".json")) {
    write(json.dump(2));
  }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string path() const { return path_.string(); }
  LanguageModel model(const LanguageRun& run) const { return read_language_model(path(), run); }

 private:
  testing_support::ScratchFolder folder_;
  std::filesystem::path path_;
};

}  // namespace tilewright::test
