// A run of a language model as its users count: tokens, beside what weights and cache allow.
#pragma once

#include <optional>
#include <string>

#include "planner/import/language/language_model.h"
#include "planner/ir/plan.h"
#include "planner/report/run/repeat_report.h"

namespace tilewright {

// The figures of all blocks from a report of the first ones (repeat_report()); nothing where these do not stand for
// all.
std::optional<LanguageReport> language_report(const LanguageModel& model, const Plan& plan, const Report& report);

std::string language_text(const LanguageReport& language);

}  // namespace tilewright
