#include "cli/language_run.h"

#include <fmt/format.h>

#include "cli/tell.h"
#include "planner/report/run/language_report.h"
#include "planner/report/run/text.h"
#include "sim/base/error.h"

namespace tilewright {
std::vector<std::int64_t> block_counts(const std::string& path, const ImportOptions& options, bool repeat) {
  const LanguageModel model = import_language_model(path, options);
  if (!repeat || model.config.layers <= kSimulatedBlocks) return {model.config.layers};
  return {kSimulatedBlocks, model.config.layers};
}

bool add_language_report(const std::string& path, const ImportOptions& options, const Plan& plan, Report& report) {
  const LanguageModel model = import_language_model(path, options);
  report.language = language_report(model, plan, report);
  if (report.language) return true;
  const BlockTimes times = block_times(report);
  tell("Blocks 2 and 3 take {} and {}, {:.2f} % apart: all {} blocks are simulated.\n", time_text(times.second),
       time_text(times.third), 100 * times.difference(), model.config.layers);
  return false;
}

}  // namespace tilewright
