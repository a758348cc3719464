// Runs of networks whose blocks repeat, language models and graphs: the first blocks stand for all of them where they
// take equal times.
#pragma once

#include <string>
#include <vector>

#include "planner/import/import.h"
#include "planner/ir/plan.h"
#include "planner/report/run/report.h"

namespace tilewright {

// Numbers of blocks to simulate, one after the other until add_repeat_report() is content: the first three; four, since
// what comes behind the blocks begins beside the last one; all. Without `repeat` all at once.
std::vector<std::int64_t> block_counts(const std::string& path, const ImportOptions& options, bool repeat);

// Adds the figures of the whole network to the report of its first `options.language.blocks` or `options.blocks` ones.
// False when these do not stand for all, which is said on stderr.
bool add_repeat_report(const std::string& path, const ImportOptions& options, const Plan& plan, Report& report);

}  // namespace tilewright
