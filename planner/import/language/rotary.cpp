// What attention knows before the run: which tokens a token sees, and the angles of rotary embeddings (Su et al.,
// "RoFormer", 2021; in the order of transformers: the halves of a head are the real and imaginary parts).
#include <cmath>
#include <numbers>

#include "planner/graph/masked_score.h"
#include "planner/import/language/language_parts.h"

namespace tilewright {
namespace {

// Llama 3.1: long wavelengths are stretched, short ones kept, those between in proportion.
double stretched(const RopeScaling& scaling, double frequency) {
  if (scaling.original_positions == 0) return frequency / scaling.factor;
  const double turns = scaling.original_positions * frequency / (2 * std::numbers::pi);
  const double low = scaling.low_frequency_factor, high = scaling.high_frequency_factor;
  if (turns < low) return frequency / scaling.factor;
  if (turns > high) return frequency;
  const double kept = (turns - low) / (high - low);
  return (1 - kept) * frequency / scaling.factor + kept * frequency;
}

// Radians of element `i` of a head at a position.
double angle(const LanguageConfig& config, std::int64_t position, std::int64_t i) {
  const std::int64_t half = config.head_dim / 2;
  const double exponent = -2.0 * static_cast<double>(i % half) / static_cast<double>(config.head_dim);
  const double frequency = std::pow(config.rope_theta, exponent);
  return static_cast<double>(position) * (config.rope_scaling ? stretched(*config.rope_scaling, frequency) : frequency);
}

// `value` of every token's angles, each row so often.
template <typename Value>
std::vector<double> angle_rows(const LanguageModel& model, std::int64_t repeat, Value value) {
  std::vector<double> rows;
  for (std::int64_t token = 0; token < model.tokens(); ++token)
    for (std::int64_t r = 0; r < repeat; ++r)
      for (std::int64_t i = 0; i < model.config.head_dim; ++i)
        rows.push_back(value(angle(model.config, model.position() + token, i)));
  return rows;
}

// x * R = (-second half, first half); row-major.
std::vector<double> half_turn(std::int64_t size) {
  std::vector<double> matrix(size * size);
  const std::int64_t half = size / 2;
  for (std::int64_t i = 0; i < half; ++i) matrix[(half + i) * size + i] = -1, matrix[i * size + half + i] = 1;
  return matrix;
}

// x * M = x cos + x R sin at one position.
std::vector<double> whole_turn(const LanguageModel& model) {
  const std::int64_t size = model.config.head_dim;
  std::vector<double> matrix = half_turn(size);
  for (std::int64_t row = 0; row < size; ++row)
    for (std::int64_t column = 0; column < size; ++column) {
      const double turn = angle(model.config, model.position(), column);
      double& entry = matrix[row * size + column];
      entry = entry * std::sin(turn) + (row == column ? std::cos(turn) : 0.0);
    }
  return matrix;
}

void add_rotation(GraphSteps& steps, const LanguageModel& model, SharedTensors& shared) {
  const std::int64_t size = model.config.head_dim, group = model.config.heads_per_key();
  shared.rotation = steps.known("rotation", {size, size}, model.decodes() ? whole_turn(model) : half_turn(size));
  if (model.decodes()) return;
  const auto rows = [&](const char* name, std::int64_t repeat, double (*value)(double)) {
    return steps.known(name, {model.tokens() * repeat, size}, angle_rows(model, repeat, value));
  };
  shared.query_cosine = rows("query_cosine", group, [](double a) { return std::cos(a); });
  shared.query_sine = rows("query_sine", group, [](double a) { return std::sin(a); });
  shared.key_cosine = group == 1 ? shared.query_cosine : rows("key_cosine", 1, [](double a) { return std::cos(a); });
  shared.key_sine = group == 1 ? shared.query_sine : rows("key_sine", 1, [](double a) { return std::sin(a); });
}

std::vector<double> causal_mask(const LanguageModel& model) {
  const std::int64_t tokens = model.tokens(), window = model.config.window.value_or(tokens);
  std::vector<double> mask;
  for (std::int64_t token = 0; token < tokens; ++token)
    for (std::int64_t head = 0; head < model.config.heads_per_key(); ++head)
      for (std::int64_t other = 0; other < tokens; ++other)
        mask.push_back(other <= token && token - other < window ? 0 : kMaskedScore);
  return mask;
}

}  // namespace

SharedTensors shared_tensors(GraphSteps& steps, const LanguageModel& model) {
  SharedTensors shared;
  if (model.config.rotary) add_rotation(steps, model, shared);
  if (!model.decodes() && !model.config.encoder)
    shared.mask =
        steps.known("mask", {model.tokens() * model.config.heads_per_key(), model.tokens()}, causal_mask(model));
  return shared;
}

}  // namespace tilewright
