#include "cli/language_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/tell.h"
#include "planner/report/run/language_report.h"
#include "planner/report/run/text.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::int64_t simulated_blocks(const std::string& path, const ImportOptions& options) {
  return is_language_config(path) ? options.language.blocks : options.blocks;
}

}  // namespace

std::vector<std::int64_t> block_counts(const std::string& path, const ImportOptions& options, bool repeat) {
  const std::int64_t blocks = repeated_blocks(path, options);
  std::vector<std::int64_t> counts;
  for (const std::int64_t few : {kSimulatedBlocks, kSimulatedBlocks + 1})
    if (repeat && few < blocks) counts.push_back(few);
  counts.push_back(blocks);
  return counts;
}

bool add_repeat_report(const std::string& path, const ImportOptions& options, const Plan& plan, Report& report) {
  const std::int64_t blocks = repeated_blocks(path, options);
  if (is_language_config(path)) {
    report.language = language_report(import_language_model(path, options), plan, report);
    if (report.language) return true;
  } else {
    if (options.blocks == blocks) return true;
    report.repeat = repeat_report(report, blocks, options.blocks);
    if (report.repeat) return true;
  }
  const BlockTimes times = block_times(report);
  const auto counts = block_counts(path, options, true);
  const auto next = std::ranges::upper_bound(counts, simulated_blocks(path, options));
  tell("Blocks 2 and 3 take {} and {}, {:.2f} % apart: {}.\n", time_text(times.second), time_text(times.third),
       100 * times.difference(),
       *next == blocks ? fmt::format("all {} blocks are simulated", blocks)
                       : "a fourth is simulated, so that the third is not the last");
  return false;
}

}  // namespace tilewright
