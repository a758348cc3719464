#include "planner/report/study/study_json.h"

#include <yaml-cpp/yaml.h>

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

Json planner_json(const StudyPlanner& planner) {
  Json json{{"method", name_of(planner.method)}};
  if (planner.method == PlannerMethod::kTuned) json["budget"] = planner.budget;
  if (planner.method != PlannerMethod::kDatabase) return json;
  json["file"] = planner.database;
  json["fnv1a"] = planner.hash;
  json["objective"] = name_of(planner.objective);
  return json;
}

Json workloads_json(const Study& study) {
  Json list = Json::array();
  for (const StudyWorkload& w : study.workloads) {
    Json json{{"name", w.name},     {"file", w.file},          {"fnv1a", w.hash},
              {"weight", w.weight}, {"type", name_of(w.type)}, {"batch", w.batch}};
    if (is_language_config(w.file)) {
      json["phase"] = name_of(w.language.phase);
      json["context"] = w.language.context;
      json["new"] = w.language.new_tokens;
    }
    if (!w.dimensions.empty()) json["dims"] = w.dimensions;
    if (w.planner) json["planner"] = planner_json(*w.planner);
    list.push_back(std::move(json));
  }
  return list;
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

StudyPlanner planner_from(const Json& json) {
  const std::optional<PlannerMethod> method = parse_planner_method(json.at("method").get<std::string>());
  StudyPlanner planner{.method = method.value_or(PlannerMethod::kPredicted)};
  planner.budget = json.value("budget", std::int64_t{0});
  planner.database = json.value("file", "");
  planner.hash = json.value("fnv1a", "");
  if (json.contains("objective"))
    planner.objective = parse_objective(json.at("objective").get<std::string>(), "planner.objective");
  return planner;
}

StudyWorkload workload_from(const Json& json) {
  const std::optional<DataType> type = parse_data_type(json.at("type").get<std::string>());
  StudyWorkload workload{
      json.at("name"), json.at("file"), json.at("fnv1a"), json.at("weight"), type.value_or(DataType::kBf16),
      json.at("batch")};
  LanguageRun& run = workload.language;
  if (json.value("phase", "") == name_of(LanguagePhase::kDecode)) run.phase = LanguagePhase::kDecode;
  run.context = json.value("context", run.context);
  run.new_tokens = json.value("new", run.new_tokens);
  workload.dimensions = json.value("dims", workload.dimensions);
  if (json.contains("planner")) workload.planner = planner_from(json.at("planner"));
  return workload;
}

void search_from(const Json& json, Study& study) {
  const std::string method = json.at("method");
  for (const StudyMethod known : {StudyMethod::kGrid, StudyMethod::kRandom, StudyMethod::kHalving})
    if (name_of(known) == method) study.method = known;
  study.sample = json.value("points", std::int64_t{0});
  study.seed = json.value("seed", std::uint64_t{1});
  study.keep = json.value("keep", 0.5);
}

// A value of a hardware file with the JSON type that its text has in YAML; lists and mappings stay text.
Json value_json(const std::string& text) {
  if (text == "~") return nullptr;
  const YAML::Node node = YAML::Load(text);
  std::int64_t whole = 0;
  double number = 0;
  bool truth = false;
  if (!node.IsScalar()) return text;
  if (YAML::convert<std::int64_t>::decode(node, whole)) return whole;
  if (YAML::convert<double>::decode(node, number)) return number;
  if (YAML::convert<bool>::decode(node, truth)) return truth;
  return node.Scalar();
}

Json pairs_json(const std::vector<std::pair<std::string, double>>& pairs) {
  Json json = Json::object();
  for (const auto& [name, value] : pairs) json[name] = value;
  return json;
}

std::vector<std::pair<std::string, double>> pairs_from(const Json& json) {
  std::vector<std::pair<std::string, double>> pairs;
  for (const auto& [name, value] : json.items()) pairs.emplace_back(name, value.get<double>());
  return pairs;
}

Json workload_json(const WorkloadResult& w) {
  return {{"name", w.name},
          {"cycles", w.cycles},
          {"time_ps", w.time},
          {"roofline_bound_ps", w.bound},
          {"energy_pj", w.energy_pj},
          {"multiply_adds", w.macs},
          {"utilisation_percent", w.utilisation_percent},
          {"dram_peak_percent", w.dram_peak_percent},
          {"dram_read_bytes", w.dram_read},
          {"dram_written_bytes", w.dram_written},
          {"mean_core_time_percent", pairs_json(w.time_percent)},
          {"energy_components_pj", pairs_json(w.energy_parts_pj)},
          {"bottleneck", w.bottleneck}};
}

WorkloadResult workload_result_from(const Json& json) {
  return {.name = json.at("name"),
          .cycles = json.at("cycles"),
          .time = json.at("time_ps"),
          .bound = json.at("roofline_bound_ps"),
          .energy_pj = json.at("energy_pj"),
          .macs = json.at("multiply_adds"),
          .utilisation_percent = json.at("utilisation_percent"),
          .dram_peak_percent = json.at("dram_peak_percent"),
          .dram_read = json.at("dram_read_bytes"),
          .dram_written = json.at("dram_written_bytes"),
          .time_percent = pairs_from(json.at("mean_core_time_percent")),
          .energy_parts_pj = pairs_from(json.at("energy_components_pj")),
          .bottleneck = json.at("bottleneck")};
}

PointStatus status_named(const std::string& name) {
  for (const PointStatus known : kPointStatuses)
    if (name_of(known) == name) return known;
  throw UserError("", fmt::format("unknown status '{}'", name));
}

// Every figure that is known, under its name.
Json figures_json(const Study& study, const PointResult& result) {
  Json json = Json::object();
  for (int i = 0; i < kStudyFigureCount; ++i) {
    const auto figure = static_cast<StudyFigure>(i);
    if (const std::optional<double> value = final_figure_of(study, result, figure)) json[info_of(figure).key] = *value;
  }
  return json;
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
  for (StudyWorkload& workload : unnamed.workloads) {
    workload.file.clear();
    if (workload.planner) workload.planner->database.clear();
  }
  return fmt::format("{:016x}", fnv1a(to_json(unnamed).dump(), fnv1a(std::to_string(kStudySchemaVersion))));
}

Json to_json(const Study& study, const PointResult& result) {
  Json parameters = Json::object(), workloads = Json::array();
  for (const Setting& setting : settings_of(study, result.point)) parameters[setting.key] = value_json(setting.value);
  for (const WorkloadResult& workload : result.workloads) workloads.push_back(workload_json(workload));
  Json json{{"point", result.point}, {"status", name_of(result.status)}};
  if (!result.reason.empty()) json["reason"] = result.reason;
  json["parameters"] = parameters;
  if (!result.fingerprint.empty()) json["hardware_fingerprint"] = result.fingerprint;
  json["figures"] = figures_json(study, result);
  json["workloads"] = workloads;
  return json;
}

PointResult point_from_json(const Json& json) {
  PointResult result;
  result.point = json.at("point");
  result.status = status_named(json.at("status"));
  result.reason = json.value("reason", "");
  result.fingerprint = json.value("hardware_fingerprint", "");
  for (const auto& [key, value] : json.at("figures").items())
    if (const StudyFigure figure = study_figure_named(key); !info_of(figure).measured) result.chip[figure] = value;
  for (const Json& workload : json.at("workloads")) result.workloads.push_back(workload_result_from(workload));
  return result;
}

}  // namespace tilewright
