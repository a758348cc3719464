// The configuration files that model hubs publish (config.json, keys as Hugging Face's transformers library spells
// them) as the shape of a language model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/graph/operator_traits.h"

namespace tilewright {

// How angles of rotary embeddings are stretched beyond the length the model was trained for (Llama 3.1).
struct RopeScaling {
  double factor = 1, low_frequency_factor = 1, high_frequency_factor = 1;
  double original_positions = 0;  // 0: all angles are divided by `factor` ("linear")
};

// How the weights of the blocks' products are stored: whole numbers of so many bits with a scale for each column and
// group of rows; embeddings, norms, biases, routers and the last product stay in the network's type.
struct WeightFormat {
  std::int64_t bits = 0;        // 8 or 4; 0: all in the network's type
  std::int64_t group_size = 0;  // rows; 0: one group of all
  bool operator==(const WeightFormat&) const = default;
};

struct LanguageConfig {
  std::string name;    // of the file, without extension; of its folder where it is called config
  std::string file;    // as the user named it
  std::string family;  // model_type

  std::int64_t layers = 0, hidden = 0, heads = 0, key_value_heads = 0, head_dim = 0;
  std::int64_t intermediate = 0, vocabulary = 0, positions = 0;
  std::int64_t experts = 0, experts_per_token = 0;  // 0: one feed-forward layer
  std::optional<std::int64_t> window;               // a token sees so many, itself included

  OpKind norm = OpKind::kRmsNorm;  // or kLayerNorm
  OpKind activation = OpKind::kSilu;
  double epsilon = 0;
  bool gated = true;  // activation(gate) * up before the second product
  bool query_key_value_bias = false, output_bias = false, feed_forward_bias = false;
  bool encoder = false;          // every token sees all, norms behind the residuals, no next token
  bool rotary = true;            // else learned positions
  bool scale_embedding = false;  // by the root of `hidden`
  bool tied = false;             // the embedding is the last product's weights
  double rope_theta = 10000;
  std::optional<RopeScaling> rope_scaling;
  WeightFormat weights;

  std::int64_t heads_per_key() const { return heads / key_value_heads; }
};

// UserError for a file that is no such configuration, a family that is none of llama, mistral, qwen2, gemma, gpt2,
// bert, mixtral, and, in one message, for keys that are missing or have other values than supported;
// of a model too large to be counted (language_limits.h).
LanguageConfig read_language_config(const std::string& path);

}  // namespace tilewright
