// A run of a language model as its users count: tokens, beside what weights and cache allow.
#pragma once

#include <optional>
#include <string>

#include "planner/import/language/language_model.h"
#include "planner/ir/plan.h"
#include "planner/report/run/report.h"

namespace tilewright {

// Time from the end of a block to that of the next, by the last of its operators to complete.
struct BlockTimes {
  Picoseconds second = 0, third = 0;
  double difference() const;  // of the third from the second, as a share of the second
};

// The figures of all blocks from a report of the first ones. Three blocks stand for all where the third takes the time
// of the second within constants().repeat_tolerance; then each block behind them counts as the second. Nothing where
// they do not agree.
std::optional<LanguageReport> language_report(const LanguageModel& model, const Plan& plan, const Report& report);

// Blocks that are simulated where the rest may be taken from them.
inline constexpr std::int64_t kSimulatedBlocks = 3;

BlockTimes block_times(const Report& report);

std::string language_text(const LanguageReport& language);

}  // namespace tilewright
