#include "planner/import/language/language_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr double kMostParameters = 0x1p44, kMostWork = 0x1p58, kMostChoices = 0x1p28;

// Of floating point, which is large enough for any product of counts.
struct Counts {
  explicit Counts(const LanguageConfig& c)
      : layers(static_cast<double>(c.layers)),
        hidden(static_cast<double>(c.hidden)),
        queries(static_cast<double>(c.heads) * static_cast<double>(c.head_dim)),
        keys(static_cast<double>(c.key_value_heads) * static_cast<double>(c.head_dim)),
        experts(static_cast<double>(std::max<std::int64_t>(c.experts, 1))),
        intermediate(static_cast<double>(c.intermediate)),
        rows_of_tables(2 * static_cast<double>(c.vocabulary) + static_cast<double>(c.positions)) {}

  double parameters() const {
    const double feed_forward = experts * (3 * intermediate * (hidden + 1) + hidden);
    return layers * (2 * (queries + keys) * (hidden + 1) + feed_forward + 4 * hidden) + rows_of_tables * hidden;
  }

  double layers, hidden, queries, keys, experts, intermediate, rows_of_tables;
};

void refuse_above(double most, double count, const LanguageConfig& config, const char* what) {
  if (count <= most) return;
  throw UserError(config.file, fmt::format("{:.3g} {}, expected at most {:.3g}", count, what, most));
}

}  // namespace

void check_size(const LanguageConfig& config) {
  refuse_above(kMostParameters, Counts(config).parameters(), config, "parameters");
}

void check_work(const LanguageModel& model) {
  const LanguageConfig& config = model.config;
  const Counts counts(config);
  const double batch = static_cast<double>(model.run.batch), tokens = static_cast<double>(model.tokens());
  const double seen = static_cast<double>(model.run.context) + static_cast<double>(model.run.new_tokens);
  const double attention = 2 * counts.layers * counts.queries * batch * tokens * seen;
  refuse_above(kMostWork, batch * tokens * counts.parameters() + attention, config, "multiply-adds in a step");
  refuse_above(kMostWork, 2 * counts.layers * counts.keys * batch * seen, config, "values in the cache");
  if (config.experts > 0)
    refuse_above(kMostChoices, batch * tokens * counts.experts, config, "choices between a token and an expert");
}

}  // namespace tilewright
