#include "planner/import/language/language_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <vector>

#include "planner/import/language/json_keys.h"
#include "planner/import/language/language_limits.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// GELU's approximations by tanh differ from it by less than 5e-4 and cost a vector unit the same.
constexpr std::array<std::pair<std::string_view, OpKind>, 8> kHiddenActivations{
    {{"silu", OpKind::kSilu},
     {"swish", OpKind::kSilu},
     {"gelu", OpKind::kGelu},
     {"gelu_new", OpKind::kGeluTanh},
     {"gelu_fast", OpKind::kGeluTanh},
     {"gelu_pytorch_tanh", OpKind::kGeluTanh},
     {"relu", OpKind::kRelu},
     {"tanh", OpKind::kTanh}}};

OpKind activation_of(JsonKeys& keys, const char* key, const std::string& missing) {
  const std::string text = keys.text_or(key, missing);
  std::vector<std::string_view> names;
  for (const auto& [name, kind] : kHiddenActivations) {
    if (name == text) return kind;
    names.push_back(name);
  }
  keys.problem(fmt::format("{}: got \"{}\", expected {}", key, text, fmt::join(names, "|")));
  return OpKind::kSilu;
}

void read_scaling(JsonKeys& keys, JsonKeys& scaling, LanguageConfig& config) {
  const std::string type = scaling.text_or("rope_type", scaling.text_or("type", "default"));
  RopeScaling read;
  if (type == "llama3") {
    read.factor = scaling.number("factor");
    read.low_frequency_factor = scaling.number("low_freq_factor");
    read.high_frequency_factor = scaling.number("high_freq_factor");
    read.original_positions = scaling.number("original_max_position_embeddings");
  } else if (type == "linear") {
    read.factor = scaling.number("factor");
  } else if (type != "default") {
    keys.problem(fmt::format("rope_scaling: type \"{}\" is not supported, expected default|linear|llama3", type));
  }
  keys.take_problems(scaling);
  if (type != "default") config.rope_scaling = read;
}

void read_rotary(JsonKeys& keys, LanguageConfig& config) {
  config.rope_theta = keys.number_or("rope_theta", config.rope_theta);
  for (const char* key : {"rope_scaling", "rope_parameters"})
    if (auto scaling = keys.object(key)) {
      config.rope_theta = scaling->number_or("rope_theta", config.rope_theta);
      read_scaling(keys, *scaling, config);
    }
}

// What llama and those after it share.
void read_decoder(JsonKeys& keys, LanguageConfig& config) {
  config.layers = keys.count("num_hidden_layers");
  config.hidden = keys.count("hidden_size");
  config.heads = keys.count("num_attention_heads");
  // Configurations of the first llama have no such key: each head has keys of its own.
  config.key_value_heads =
      config.family == "llama" ? keys.count_or("num_key_value_heads", config.heads) : keys.count("num_key_value_heads");
  config.head_dim = keys.count_or("head_dim", config.hidden / config.heads);
  config.intermediate = keys.count("intermediate_size");
  config.vocabulary = keys.count("vocab_size");
  config.positions = keys.count("max_position_embeddings");
  config.epsilon = keys.number("rms_norm_eps");
  config.activation = activation_of(keys, "hidden_act", "silu");
  config.tied = keys.flag_or("tie_word_embeddings", false);
  read_rotary(keys, config);
}

void read_window(JsonKeys& keys, LanguageConfig& config) {
  if (keys.has("sliding_window")) config.window = keys.count("sliding_window");
}

void read_llama(JsonKeys& keys, LanguageConfig& config) {
  read_decoder(keys, config);
  config.query_key_value_bias = config.output_bias = keys.flag_or("attention_bias", false);
  config.feed_forward_bias = keys.flag_or("mlp_bias", false);
}

void read_mistral(JsonKeys& keys, LanguageConfig& config) {
  read_decoder(keys, config);
  read_window(keys, config);
}

void read_qwen2(JsonKeys& keys, LanguageConfig& config) {
  read_decoder(keys, config);
  config.query_key_value_bias = true;
  if (!keys.flag_or("use_sliding_window", false)) return;
  if (keys.count_or("max_window_layers", 0) != 0)
    keys.problem("max_window_layers: layers with and without a window are not supported, expected 0");
  read_window(keys, config);
}

void read_gemma(JsonKeys& keys, LanguageConfig& config) {
  read_decoder(keys, config);
  config.activation =
      activation_of(keys, keys.has("hidden_activation") ? "hidden_activation" : "hidden_act", "gelu_pytorch_tanh");
  config.query_key_value_bias = config.output_bias = keys.flag_or("attention_bias", false);
  config.scale_embedding = true;
  config.tied = keys.flag_or("tie_word_embeddings", true);
}

void read_mixtral(JsonKeys& keys, LanguageConfig& config) {
  read_mistral(keys, config);
  config.experts = keys.count("num_local_experts");
  config.experts_per_token = keys.count("num_experts_per_tok");
  if (config.experts_per_token > config.experts)
    keys.problem(fmt::format("num_experts_per_tok: got {} of {} experts", config.experts_per_token, config.experts));
}

// LayerNorm, learned positions, biases everywhere, one product before the activation.
void set_first_generation(LanguageConfig& config) {
  config.norm = OpKind::kLayerNorm;
  config.gated = config.rotary = false;
  config.query_key_value_bias = config.output_bias = config.feed_forward_bias = true;
  config.key_value_heads = config.heads;
  config.head_dim = config.hidden / config.heads;
}

void read_gpt2(JsonKeys& keys, LanguageConfig& config) {
  config.layers = keys.count("n_layer");
  config.hidden = keys.count("n_embd");
  config.heads = keys.count("n_head");
  config.intermediate = keys.count_or("n_inner", 4 * config.hidden);
  config.vocabulary = keys.count("vocab_size");
  config.positions = keys.count("n_positions");
  config.epsilon = keys.number_or("layer_norm_epsilon", 1e-5);
  config.activation = activation_of(keys, "activation_function", "gelu_new");
  config.tied = keys.flag_or("tie_word_embeddings", true);
  set_first_generation(config);
}

void read_bert(JsonKeys& keys, LanguageConfig& config) {
  config.layers = keys.count("num_hidden_layers");
  config.hidden = keys.count("hidden_size");
  config.heads = keys.count("num_attention_heads");
  config.intermediate = keys.count("intermediate_size");
  config.vocabulary = keys.count("vocab_size");
  config.positions = keys.count("max_position_embeddings");
  config.epsilon = keys.number_or("layer_norm_eps", 1e-12);
  config.activation = activation_of(keys, "hidden_act", "gelu");
  config.encoder = true;
  set_first_generation(config);
}

struct Family {
  std::string_view name;
  void (*read)(JsonKeys& keys, LanguageConfig& config);
};
constexpr Family kFamilies[] = {{"llama", read_llama},    {"mistral", read_mistral}, {"qwen2", read_qwen2},
                                {"gemma", read_gemma},    {"gpt2", read_gpt2},       {"bert", read_bert},
                                {"mixtral", read_mixtral}};

const Family& family_of(JsonKeys& keys, const std::string& path) {
  const std::string type = keys.text_or("model_type", "");
  std::vector<std::string_view> names;
  for (const Family& family : kFamilies) {
    if (family.name == type) return family;
    names.push_back(family.name);
  }
  keys.check();
  throw UserError(path, fmt::format("model_type: {}, expected {}",
                                    keys.has("model_type") ? fmt::format("got \"{}\"", type) : "is missing",
                                    fmt::join(names, "|")));
}

// GPTQ's and AWQ's keys; what is stored for each group besides its scale is not modelled.
WeightFormat read_quantization(JsonKeys& keys, JsonKeys& quantization) {
  const std::string method = quantization.text_or("quant_method", "");
  WeightFormat format;
  if (method != "gptq" && method != "awq") {
    keys.problem(fmt::format("quantization_config.quant_method: got \"{}\", expected gptq|awq", method));
    return format;
  }
  format.bits = quantization.count("bits");
  if (format.bits != 4 && format.bits != 8)
    keys.problem(fmt::format("quantization_config.bits: got {}, expected 4|8", format.bits));
  const bool whole = quantization.minus_one("group_size");
  format.group_size = whole ? 0 : quantization.count("group_size");
  if (!quantization.flag_or("sym", true) || quantization.flag_or("zero_point", false))
    keys.problem(
        "quantization_config: zero points of each group are not supported, expected sym true, zero_point false");
  keys.take_problems(quantization);
  return format;
}

// Elements of a head that rotary embeddings turn by a matrix of their square; published models have up to 256.
constexpr std::int64_t kMostRotated = 4096;

void check_heads(JsonKeys& keys, const LanguageConfig& config) {
  if (config.heads % config.key_value_heads != 0)
    keys.problem(
        fmt::format("{} attention heads do not share {} key-value heads evenly", config.heads, config.key_value_heads));
  if (config.head_dim < 1 || (config.family != "llama" && !config.rotary && config.hidden % config.heads != 0))
    keys.problem(fmt::format("{} attention heads do not divide a width of {}", config.heads, config.hidden));
  if (config.rotary && config.head_dim > kMostRotated)
    keys.problem(
        fmt::format("head_dim: got {}, expected at most {} with rotary embeddings", config.head_dim, kMostRotated));
  if (config.rotary && config.head_dim % 2 != 0)
    keys.problem(fmt::format("heads of {} elements have no halves for rotary embeddings", config.head_dim));
}

std::string name_of_file(const std::filesystem::path& path) {
  const std::string folder = std::filesystem::absolute(path).parent_path().filename().string();
  return path.stem() == "config" && !folder.empty() ? folder : path.stem().string();
}

}  // namespace

LanguageConfig read_language_config(const std::string& path) {
  const nlohmann::json json = read_json(path);
  JsonKeys keys(path, json);
  LanguageConfig config{.name = name_of_file(path), .file = path};
  const Family& family = family_of(keys, path);
  config.family = family.name;
  family.read(keys, config);
  if (auto quantization = keys.object("quantization_config")) config.weights = read_quantization(keys, *quantization);
  keys.check();
  check_heads(keys, config);
  keys.check();
  check_size(config);
  return config;
}

}  // namespace tilewright
