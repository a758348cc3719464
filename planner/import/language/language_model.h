// What of a language model is run: one pass over the prompts, or one step of generation behind tokens in the cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/import/language/language_config.h"
#include "sim/base/data_type.h"
#include "sim/base/units.h"

namespace tilewright {

enum class LanguagePhase : std::uint8_t { kPrefill, kDecode };
std::string_view name_of(LanguagePhase phase);  // "prefill", "decode"

struct LanguageRun {
  LanguagePhase phase = LanguagePhase::kPrefill;
  std::int64_t batch = 1;
  std::int64_t context = 512;   // prefill: tokens of each prompt; decode: tokens in the cache at the start
  std::int64_t new_tokens = 1;  // decode: generated per sequence; the step simulated is the one in the middle
  std::int64_t blocks = 0;      // that the graph has; 0: all
  std::string routing;          // file with the experts of every token; empty: drawn
  std::uint64_t routing_seed = 1;
  std::optional<WeightFormat> weights;  // in place of the configuration's
  bool operator==(const LanguageRun&) const = default;
};

// Experts of every token of a step, ascending; every block uses the same.
using Routing = std::vector<std::vector<std::int64_t>>;

struct LanguageModel {
  LanguageConfig config;
  LanguageRun run;
  Routing routing;  // empty without experts

  bool decodes() const { return run.phase == LanguagePhase::kDecode; }
  std::int64_t blocks() const { return run.blocks == 0 ? config.layers : run.blocks; }
  std::int64_t tokens() const { return decodes() ? 1 : run.context; }  // of each sequence, computed in the step
  std::int64_t rows() const { return run.batch * tokens(); }
  std::int64_t cached() const;    // tokens of each sequence whose keys and values are read
  std::int64_t position() const;  // of the first token computed
  // Rows of every expert, ascending.
  std::vector<std::vector<std::int64_t>> rows_of_experts() const;
};

// UserError naming the file: as read_language_config(); a phase the model does not have, more tokens than it has
// positions, more work than can be counted (language_limits.h), a routing that is not R lists of distinct experts.
LanguageModel read_language_model(const std::string& path, const LanguageRun& run);

// Whether import_workload() takes the file for a configuration of a language model.
bool is_language_config(const std::string& path);

// What a step has to do at least, whatever the chip and plan; all layers.
struct LanguageWork {
  Bytes weights = 0;        // of the whole model
  Bytes cache = 0;          // keys and values when the step is done
  Bytes weights_read = 0;   // in one step: without embeddings but the rows looked up, experts that have tokens
  Bytes cache_read = 0;     // in one step
  Bytes cache_written = 0;  // in one step
  std::int64_t macs = 0;    // in one step; of attention those that the mask leaves
  Bytes step_bytes() const { return weights_read + cache_read + cache_written; }
};
LanguageWork work_of(const LanguageModel& model, DataType type);

}  // namespace tilewright
