// How the planner of a study chooses: by predictions, by closed formulas alone, by measuring, or from a database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "planner/measure/measure.h"
#include "sim/base/yaml_reader.h"

namespace tilewright {

enum class PlannerMethod : std::uint8_t { kPredicted, kClosedForm, kTuned, kDatabase };
std::string_view name_of(PlannerMethod method);  // as in a study file
std::optional<PlannerMethod> parse_planner_method(std::string_view name);

struct StudyPlanner {
  PlannerMethod method = PlannerMethod::kPredicted;
  std::int64_t budget = 0;                   // tuned: measurements per contraction, as of `run --tune`
  std::string database;                      // as the current folder sees it, as of `run --tilings`
  std::string hash;                          // of its records
  Objective objective = Objective::kCycles;  // database: whose records
  bool operator==(const StudyPlanner&) const = default;
};

// Without measurements or a database: needs no options, and starts no process.
bool plans_alone(PlannerMethod method);

// The options of `tilewright run` that plan the same way, each with a space before it.
std::string run_options_of(const StudyPlanner& planner);

// The key `planner` of a study file or of one of its workloads: predicted, closed_form, or {method, ...}; nothing
// without the key. Problems are recorded; UserError for a database that cannot be read.
std::optional<StudyPlanner> read_planner(YamlMap& map, const std::string& study_file);

}  // namespace tilewright
