// The figures of a network whose blocks repeat, from a run of the first of them.
#pragma once

#include <optional>
#include <string>

#include "planner/report/run/report.h"

namespace tilewright {

// Time from the end of a block to that of the next, by the last of its operators to complete.
struct BlockTimes {
  Picoseconds second = 0, third = 0;
  double difference() const;  // of the third from the second, as a share of the second
};

BlockTimes block_times(const Report& report);

// Blocks that are simulated where the rest may be taken from them; one more stands at the end where the third takes
// longer there.
inline constexpr std::int64_t kSimulatedBlocks = 3;

// Of `layers` blocks, whose operators are called block_prefix(i)..., from a report of the first `simulated`. Three
// stand for all where the third takes the time of the second within constants().repeat_tolerance; then each block
// behind them counts as the second. Nothing where they do not agree.
std::optional<RepeatReport> repeat_report(const Report& report, std::int64_t layers, std::int64_t simulated);

std::string blocks_text(const RepeatReport& repeat);
std::string repeat_text(const RepeatReport& repeat);

}  // namespace tilewright
