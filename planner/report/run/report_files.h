// A report as the files of a result folder. docs/output.md explains every key.
#pragma once

#include <string>

#include "planner/report/run/report.h"

namespace tilewright {

// summary.json; the version grows when a key changes its meaning.
inline constexpr int kSummarySchemaVersion = 1;
std::string to_json(const Report& report);

// operators.csv, one row per operator that ran: cycles of the core clock; fields quoted as RFC 4180 says.
std::string operators_csv(const Report& report);

}  // namespace tilewright
