// A report as summary.json. docs/output.md explains every key; schema_version grows when a key changes its meaning.
#pragma once

#include <string>

#include "planner/report/run/report.h"

namespace tilewright {

inline constexpr int kSummarySchemaVersion = 1;

std::string to_json(const Report& report);

}  // namespace tilewright
