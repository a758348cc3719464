#include "planner/import/language/language_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "planner/import/language/json_keys.h"
#include "planner/import/language/language_limits.h"
#include "sim/base/error.h"
#include "sim/base/random.h"

namespace tilewright {
namespace {

// Of the causal mask, which the graph holds as a constant.
constexpr std::int64_t kMaxMask = std::int64_t{1} << 26;

void check_run(const LanguageModel& model) {
  const LanguageConfig& config = model.config;
  const LanguageRun& run = model.run;
  if (model.decodes() && config.encoder)
    throw UserError(config.file, fmt::format("family '{}' has no next token: expected phase prefill", config.family));
  if (!model.decodes() && run.new_tokens != 1)
    throw UserError(config.file, fmt::format("{} new tokens in phase prefill, expected phase decode", run.new_tokens));
  if (!model.decodes() && run.context < 1) throw UserError(config.file, "a prompt of 0 tokens, expected 1 or more");
  const std::int64_t last = run.context + (model.decodes() ? run.new_tokens : 0);
  if (last > config.positions)
    throw UserError(config.file, fmt::format("{} tokens, but the model has {} positions", last, config.positions));
  if (!model.decodes() && !config.encoder && run.context * run.context > kMaxMask / config.heads_per_key())
    throw UserError(
        config.file,
        fmt::format("prompts of {} tokens are too long: their mask has more than 2^26 elements", run.context));
}

// The first k of a shuffle.
std::vector<std::int64_t> drawn_experts(const LanguageConfig& config, SplitMix64& random) {
  std::vector<std::int64_t> experts(config.experts);
  std::iota(experts.begin(), experts.end(), 0);
  for (std::int64_t i = 0; i < config.experts_per_token; ++i)
    std::swap(experts[i], experts[i + random.below(config.experts - i)]);
  experts.resize(config.experts_per_token);
  std::sort(experts.begin(), experts.end());
  return experts;
}

Routing drawn_routing(const LanguageModel& model) {
  SplitMix64 random(model.run.routing_seed);
  Routing routing;
  for (std::int64_t row = 0; row < model.rows(); ++row) routing.push_back(drawn_experts(model.config, random));
  return routing;
}

std::vector<std::int64_t> experts_in(const LanguageModel& model, const nlohmann::json& token, std::size_t row) {
  const auto fail = [&] {
    throw UserError(model.run.routing, fmt::format("token {}: expected {} distinct experts below {}", row,
                                                   model.config.experts_per_token, model.config.experts));
  };
  std::vector<std::int64_t> experts;
  if (!token.is_array()) fail();
  for (const auto& expert : token) {
    if (!expert.is_number_integer() || expert < 0 || expert >= model.config.experts) fail();
    experts.push_back(expert.get<std::int64_t>());
  }
  std::sort(experts.begin(), experts.end());
  const bool repeated = std::adjacent_find(experts.begin(), experts.end()) != experts.end();
  if (repeated || std::ssize(experts) != model.config.experts_per_token) fail();
  return experts;
}

Routing given_routing(const LanguageModel& model) {
  const nlohmann::json json = read_json(model.run.routing);
  if (!json.is_array() || std::ssize(json) != model.rows())
    throw UserError(model.run.routing,
                    fmt::format("expected a list of {} tokens, each a list of experts", model.rows()));
  Routing routing;
  for (const auto& token : json) routing.push_back(experts_in(model, token, routing.size()));
  return routing;
}

// Bytes of the weights of one block but for what only some tokens use.
struct BlockWeights {
  Bytes shared = 0, expert = 0;  // one expert's, or the only feed-forward layer's
};

// A matrix in the weights' format.
Bytes matrix_bytes(const WeightFormat& format, std::int64_t inputs, std::int64_t outputs, Bytes element) {
  if (format.bits == 0) return inputs * outputs * element;
  const std::int64_t groups = format.group_size == 0 ? 1 : ceil_div(inputs, format.group_size);
  return outputs * (ceil_div(inputs * format.bits, std::int64_t{8}) + groups * element);
}

BlockWeights weights_of_block(const LanguageConfig& c, Bytes element) {
  const std::int64_t queries = c.heads * c.head_dim, keys = c.key_value_heads * c.head_dim;
  const auto matrix = [&](std::int64_t inputs, std::int64_t outputs) {
    return matrix_bytes(c.weights, inputs, outputs, element);
  };
  BlockWeights weights;
  weights.shared = matrix(c.hidden, queries) + 2 * matrix(c.hidden, keys) + matrix(queries, c.hidden);
  std::int64_t vectors = (c.query_key_value_bias ? queries + 2 * keys : 0) + (c.output_bias ? c.hidden : 0);
  vectors += 2 * c.hidden * (c.norm == OpKind::kLayerNorm ? 2 : 1) + c.hidden * c.experts;
  weights.shared += vectors * element;
  weights.expert = (c.gated ? 2 : 1) * matrix(c.hidden, c.intermediate) + matrix(c.intermediate, c.hidden);
  if (c.feed_forward_bias) weights.expert += ((c.gated ? 2 : 1) * c.intermediate + c.hidden) * element;
  return weights;
}

// Multiply-adds of one block, attention apart.
std::int64_t macs_of_block(const LanguageModel& model) {
  const LanguageConfig& c = model.config;
  const std::int64_t queries = c.heads * c.head_dim, keys = c.key_value_heads * c.head_dim;
  const std::int64_t feed_forward = (c.gated ? 3 : 2) * c.hidden * c.intermediate;
  const std::int64_t used = c.experts == 0 ? 1 : c.experts_per_token;
  return model.rows() * (c.hidden * (2 * queries + 2 * keys) + used * feed_forward + c.hidden * c.experts);
}

// Pairs of a token and one that it sees, of one sequence.
std::int64_t seen_pairs(const LanguageModel& model) {
  const std::int64_t tokens = model.tokens(), window = model.config.window.value_or(tokens);
  if (model.decodes()) return model.cached() + 1;
  if (model.config.encoder) return tokens * tokens;
  const std::int64_t rising = std::min(tokens, window);
  return rising * (rising + 1) / 2 + (tokens - rising) * window;
}

}  // namespace

std::string_view name_of(LanguagePhase phase) { return phase == LanguagePhase::kDecode ? "decode" : "prefill"; }

std::int64_t LanguageModel::position() const { return decodes() ? run.context + (run.new_tokens - 1) / 2 : 0; }

std::int64_t LanguageModel::cached() const {
  return config.window ? std::min(position(), *config.window - 1) : position();
}

std::vector<std::vector<std::int64_t>> LanguageModel::rows_of_experts() const {
  std::vector<std::vector<std::int64_t>> rows(config.experts);
  for (std::size_t row = 0; row < routing.size(); ++row)
    for (const std::int64_t expert : routing[row]) rows[expert].push_back(static_cast<std::int64_t>(row));
  return rows;
}

LanguageModel read_language_model(const std::string& path, const LanguageRun& run) {
  LanguageModel model{read_language_config(path), run, {}};
  model.config.weights = run.weights.value_or(model.config.weights);
  model.run.blocks = std::min(run.blocks, model.config.layers);
  check_run(model);
  check_work(model);
  if (!run.routing.empty() && model.config.experts == 0)
    throw UserError(run.routing, fmt::format("'{}' has no experts that tokens are sent to", path));
  if (model.config.experts > 0) model.routing = run.routing.empty() ? drawn_routing(model) : given_routing(model);
  return model;
}

bool is_language_config(const std::string& path) { return std::filesystem::path(path).extension() == ".json"; }

LanguageWork work_of(const LanguageModel& model, DataType type) {
  const LanguageConfig& c = model.config;
  const Bytes element = bytes_of(type);
  const BlockWeights block = weights_of_block(c, element);
  const auto rows = model.rows_of_experts();
  const std::int64_t busy = std::count_if(rows.begin(), rows.end(), [](const auto& list) { return !list.empty(); });
  const std::int64_t table = c.vocabulary * c.hidden, head = c.encoder ? 0 : table;
  const std::int64_t norms = c.hidden * (c.norm == OpKind::kLayerNorm ? 2 : 1);  // behind the embedding or the blocks
  const std::int64_t per_token = 2 * c.layers * c.key_value_heads * c.head_dim;
  LanguageWork work;
  work.weights = c.layers * (block.shared + block.expert * std::max<std::int64_t>(c.experts, 1)) +
                 element * (table + (c.tied ? 0 : head) + norms + (c.rotary ? 0 : c.positions * c.hidden));
  work.weights_read = c.layers * (block.shared + block.expert * (c.experts == 0 ? 1 : busy)) +
                      element * (head + norms + model.rows() * c.hidden);
  if (!c.encoder) {
    work.cache = element * per_token * model.run.batch * (model.decodes() ? model.cached() + 1 : model.tokens());
    work.cache_read = element * per_token * model.run.batch * (model.decodes() ? model.cached() : 0);
    work.cache_written = element * per_token * model.rows();
  }
  const std::int64_t attention = 2 * c.heads * c.head_dim * model.run.batch * seen_pairs(model);
  work.macs = c.layers * (macs_of_block(model) + attention) + model.run.batch * head;
  return work;
}

}  // namespace tilewright
