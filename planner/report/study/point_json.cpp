#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "planner/report/study/study_json.h"

namespace tilewright {
namespace {

using Json = nlohmann::ordered_json;

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
  const std::string status = json.at("status");
  for (const PointStatus known : {PointStatus::kMeasured, PointStatus::kExcluded, PointStatus::kIllegal})
    if (name_of(known) == status) result.status = known;
  result.reason = json.value("reason", "");
  result.fingerprint = json.value("hardware_fingerprint", "");
  for (const auto& [key, value] : json.at("figures").items())
    if (const StudyFigure figure = study_figure_named(key); !info_of(figure).measured) result.chip[figure] = value;
  for (const Json& workload : json.at("workloads")) result.workloads.push_back(workload_result_from(workload));
  return result;
}

}  // namespace tilewright
