#include "planner/report/study/study_json.h"

#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/hash.h"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

Json parameters_json(const Study& study) {
  Json list = Json::array();
  for (const StudyParameter& p : study.parameters) list.push_back({{"keys", p.keys}, {"rows", p.rows}});
  return list;
}

Json constraints_json(const Study& study) {
  Json list = Json::array();
  for (const StudyConstraint& c : study.constraints) {
    Json json{{"figure", info_of(c.figure).key}};
    if (c.at_least) json["at_least"] = *c.at_least;
    if (c.at_most) json["at_most"] = *c.at_most;
    list.push_back(json);
  }
  return list;
}

Json workloads_json(const Study& study) {
  Json list = Json::array();
  for (const StudyWorkload& w : study.workloads)
    list.push_back({{"name", w.name},
                    {"file", w.file},
                    {"fnv1a", w.hash},
                    {"weight", w.weight},
                    {"type", name_of(w.type)},
                    {"batch", w.batch}});
  return list;
}

Json planner_json(const StudyPlanner& planner) {
  Json json{{"method", name_of(planner.method)}};
  if (planner.method == PlannerMethod::kTuned) json["budget"] = planner.budget;
  if (planner.method != PlannerMethod::kDatabase) return json;
  json["file"] = planner.database;
  json["fnv1a"] = planner.hash;
  json["objective"] = name_of(planner.objective);
  return json;
}

Json search_json(const Study& study) {
  Json json{{"method", name_of(study.method)}};
  if (study.method == StudyMethod::kGrid) return json;
  json["points"] = study.sample;
  json["seed"] = study.seed;
  if (study.method == StudyMethod::kHalving) json["keep"] = study.keep;
  return json;
}

std::optional<double> optional_number(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(json.at(key).get<double>()) : std::nullopt;
}

StudyWorkload workload_from(const Json& json) {
  const std::optional<DataType> type = parse_data_type(json.at("type").get<std::string>());
  return {json.at("name"), json.at("file"), json.at("fnv1a"), json.at("weight"), type.value_or(DataType::kBf16),
          json.at("batch")};
}

StudyPlanner planner_from(const Json& json) {
  const std::optional<PlannerMethod> method = parse_planner_method(json.at("method").get<std::string>());
  StudyPlanner planner{.method = method.value_or(PlannerMethod::kClosedForm)};
  planner.budget = json.value("budget", std::int64_t{0});
  planner.database = json.value("file", "");
  planner.hash = json.value("fnv1a", "");
  if (json.contains("objective"))
    planner.objective = parse_objective(json.at("objective").get<std::string>(), "planner.objective");
  return planner;
}

void search_from(const Json& json, Study& study) {
  const std::string method = json.at("method");
  for (const StudyMethod known : {StudyMethod::kGrid, StudyMethod::kRandom, StudyMethod::kHalving})
    if (name_of(known) == method) study.method = known;
  study.sample = json.value("points", std::int64_t{0});
  study.seed = json.value("seed", std::uint64_t{1});
  study.keep = json.value("keep", 0.5);
}

}  // namespace

Json to_json(const Study& study) {
  Json objectives = Json::array();
  for (const StudyFigure figure : study.objectives) objectives.push_back(info_of(figure).key);
  return {{"name", study.name},
          {"file", study.file},
          {"hardware_file", study.hardware_file},
          {"hardware", study.hardware_text},
          {"parameters", parameters_json(study)},
          {"constraints", constraints_json(study)},
          {"workloads", workloads_json(study)},
          {"planner", planner_json(study.planner)},
          {"objectives", objectives},
          {"search", search_json(study)}};
}

Study study_from_json(const Json& json) {
  Study study;
  study.name = json.at("name");
  study.file = json.at("file");
  study.hardware_file = json.at("hardware_file");
  study.hardware_text = json.at("hardware");
  for (const Json& p : json.at("parameters")) study.parameters.push_back({p.at("keys"), p.at("rows")});
  for (const Json& c : json.at("constraints"))
    study.constraints.push_back(
        {study_figure_named(c.at("figure")), optional_number(c, "at_least"), optional_number(c, "at_most")});
  for (const Json& workload : json.at("workloads")) study.workloads.push_back(workload_from(workload));
  for (const Json& key : json.at("objectives")) study.objectives.push_back(study_figure_named(key));
  study.planner = planner_from(json.at("planner"));
  search_from(json.at("search"), study);
  return study;
}

StudyFigure study_figure_named(const std::string& key) {
  const std::optional<StudyFigure> figure = parse_figure_key(key);
  if (!figure) throw UserError("", fmt::format("unknown figure \"{}\"", key));
  return *figure;
}

std::string identity_of(const Study& study) {
  Study unnamed = study;
  unnamed.file.clear();
  unnamed.hardware_file.clear();
  unnamed.planner.database.clear();
  for (StudyWorkload& workload : unnamed.workloads) workload.file.clear();
  return fmt::format("{:016x}", fnv1a(to_json(unnamed).dump(), fnv1a(std::to_string(kStudySchemaVersion))));
}

}  // namespace tilewright
