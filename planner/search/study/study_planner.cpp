#include "planner/search/study/study_planner.h"

#include <fmt/format.h>

#include <filesystem>

#include "planner/search/database/tiling_database.h"
#include "sim/base/error.h"
#include "sim/base/file_kind.h"
#include "sim/base/hash.h"
#include "sim/base/shell_text.h"

namespace tilewright {
namespace {

const Choices<PlannerMethod> kPlannerMethods{{"predicted", PlannerMethod::kPredicted},
                                             {"closed_form", PlannerMethod::kClosedForm},
                                             {"tuned", PlannerMethod::kTuned},
                                             {"database", PlannerMethod::kDatabase}};
const Choices<Objective> kObjectives{
    {"cycles", Objective::kCycles}, {"energy", Objective::kEnergy}, {"edp", Objective::kEdp}};

// Of what the database holds; its bytes also depend on how it was written.
std::string hash_of_records(const std::string& path) {
  std::uint64_t hash = fnv1a("");
  for (const TilingRecord& record : TilingDatabase(path, TilingDatabase::Mode::kRead).records())
    for (const std::string& text : record_texts(record)) hash = fnv1a(text + "\n", hash);
  return fmt::format("{:016x}", hash);
}

void read_database(YamlMap& map, const std::string& study_file, StudyPlanner& planner) {
  const std::string file = map.require_text("file");
  planner.objective = map.choice("objective", kObjectives).value_or(Objective::kCycles);
  if (file.empty()) return;
  planner.database = (std::filesystem::path(study_file).parent_path() / file).lexically_normal().string();
  if (is_file(planner.database))
    planner.hash = hash_of_records(planner.database);
  else
    map.problem("file", fmt::format("no such database: {}", planner.database));
}

void read_budget(YamlMap& map, StudyPlanner& planner) {
  planner.budget = map.require_integer("budget");
  if (map.has("budget") && planner.budget < 1) map.expected("budget", "1 or more measurements per contraction");
}

}  // namespace

std::optional<PlannerMethod> parse_planner_method(std::string_view text) {
  for (const auto& [name, meaning] : kPlannerMethods)
    if (name == text) return meaning;
  return std::nullopt;
}

std::string_view name_of(PlannerMethod method) {
  for (const auto& [name, meaning] : kPlannerMethods)
    if (meaning == method) return name;
  SIM_CHECK(false, "planner {} has no name", static_cast<int>(method));
}

bool plans_alone(PlannerMethod method) {
  return method == PlannerMethod::kPredicted || method == PlannerMethod::kClosedForm;
}

std::string run_options_of(const StudyPlanner& planner) {
  switch (planner.method) {
    case PlannerMethod::kPredicted:
      return "";
    case PlannerMethod::kClosedForm:
      return " --no-predict";
    case PlannerMethod::kTuned:
      return fmt::format(" --tune {}", planner.budget);
    case PlannerMethod::kDatabase:
      return fmt::format(" --tilings {} --tilings-objective {}", shell_word(planner.database),
                         name_of(planner.objective));
  }
  SIM_CHECK(false, "planner {} has no options", static_cast<int>(planner.method));
}

std::optional<StudyPlanner> read_planner(YamlMap& outer, const std::string& study_file) {
  StudyPlanner planner;
  const std::optional<YAML::Node> node = outer.node("planner");
  if (!node) return {};
  if (node->IsScalar()) {
    planner.method = outer.choice("planner", kPlannerMethods).value_or(planner.method);
    if (!plans_alone(planner.method))
      outer.problem("planner",
                    fmt::format("'{0}' has options, expected a mapping {{method: {0}, ...}}", node->Scalar()));
    return planner;
  }
  std::optional<YamlMap> map = outer.map("planner");
  if (!map) return {};
  map->require_text("method");
  planner.method = map->choice("method", kPlannerMethods).value_or(planner.method);
  if (planner.method == PlannerMethod::kTuned) read_budget(*map, planner);
  if (planner.method == PlannerMethod::kDatabase) read_database(*map, study_file, planner);
  map->reject_unknown_keys();
  return planner;
}

}  // namespace tilewright
