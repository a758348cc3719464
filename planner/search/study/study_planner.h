// How the planner of a study chooses tilings: by its closed formulas, by measuring, or from a database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "planner/measure/measure.h"
#include "sim/base/yaml_reader.h"

namespace tilewright {

enum class PlannerMethod : std::uint8_t { kClosedForm, kTuned, kDatabase };
std::string_view name_of(PlannerMethod method);  // as in a study file
std::optional<PlannerMethod> parse_planner_method(std::string_view name);

struct StudyPlanner {
  PlannerMethod method = PlannerMethod::kClosedForm;
  std::int64_t budget = 0;                   // tuned: measurements per contraction, as of `run --tune`
  std::string database;                      // as the current folder sees it, as of `run --tilings`
  std::string hash;                          // of its records
  Objective objective = Objective::kCycles;  // database: whose records
  bool operator==(const StudyPlanner&) const = default;
};

// The options of `tilewright run` that plan the same way, each with a space before it.
std::string run_options_of(const StudyPlanner& planner);

// The key `planner` of a study file: closed_form, or {method, ...}. Problems are recorded; UserError for a database
// that cannot be read.
StudyPlanner read_planner(YamlMap& study, const std::string& study_file);

}  // namespace tilewright
