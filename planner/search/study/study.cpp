#include "planner/search/study/study.h"

#include <yaml-cpp/yaml.h>

#include <array>

#include "sim/base/error.h"
#include "sim/base/text_list.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

// Sets or, for a value of nothing, removes the key at the dotted path; mappings on the way are made where they miss.
void set(YAML::Node node, std::string_view path, const YAML::Node& value) {
  const std::size_t dot = path.find('.');
  const std::string key(path.substr(0, dot));
  if (dot != std::string_view::npos) {
    if (!node[key].IsMap()) {
      if (value.IsNull()) return;
      node[key] = YAML::Node(YAML::NodeType::Map);
    }
    set(node[key], path.substr(dot + 1), value);
  } else if (value.IsNull()) {
    node.remove(key);
  } else {
    node[key] = value;
  }
}

constexpr std::array<StudyFigureInfo, kStudyFigureCount> kFigures{
    {{StudyFigure::kLatency, "latency", "latency_us", true},
     {StudyFigure::kEnergy, "energy", "energy_uj", true},
     {StudyFigure::kEdp, "edp", "edp_nj_s", true},
     {StudyFigure::kArea, "area", "area_mm2", false},
     {StudyFigure::kCost, "cost", "cost", false},
     {StudyFigure::kMultiplyAdds, "", "multiply_adds_per_cycle", false},
     {StudyFigure::kOnChip, "", "on_chip_kib", false},
     {StudyFigure::kDramPeak, "", "dram_peak_gb_per_s", false}}};

// All of one kind of name, as messages list them.
std::string listed(std::string_view StudyFigureInfo::*name) {
  std::string names;
  for (const StudyFigureInfo& info : kFigures)
    if (!(info.*name).empty()) append_item(names, "|", info.*name);
  return names;
}

std::optional<StudyFigure> found(std::string_view StudyFigureInfo::*name, std::string_view text) {
  for (const StudyFigureInfo& info : kFigures)
    if (!text.empty() && info.*name == text) return info.figure;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(StudyMethod method) {
  switch (method) {
    case StudyMethod::kGrid:
      return "grid";
    case StudyMethod::kRandom:
      return "random";
    case StudyMethod::kHalving:
      return "halving";
  }
  SIM_CHECK(false, "method {} has no name", static_cast<int>(method));
}

const StudyPlanner& planner_of(const Study& study, const StudyWorkload& workload) {
  return workload.planner ? *workload.planner : study.planner;
}

std::int64_t grid_size(const Study& study) {
  std::int64_t size = 1;
  for (const StudyParameter& parameter : study.parameters) size *= static_cast<std::int64_t>(parameter.rows.size());
  return size;
}

std::vector<Setting> settings_of(const Study& study, std::int64_t point) {
  SIM_CHECK(point >= 0 && point < grid_size(study), "point {} of {}", point, grid_size(study));
  std::int64_t faster = grid_size(study);
  std::vector<Setting> settings;
  for (const StudyParameter& parameter : study.parameters) {
    const std::int64_t rows = static_cast<std::int64_t>(parameter.rows.size());
    faster /= rows;
    const std::vector<std::string>& row = parameter.rows[point / faster % rows];
    for (std::size_t k = 0; k < parameter.keys.size(); ++k) settings.push_back({parameter.keys[k], row[k]});
  }
  return settings;
}

std::string apply_settings(const std::string& hardware_text, const std::vector<Setting>& settings) {
  YAML::Node chip = YAML::Load(hardware_text);
  for (const Setting& setting : settings) set(chip, setting.key, YAML::Load(setting.value));
  return YAML::Dump(chip) + "\n";
}

std::string hardware_text_of(const Study& study, std::int64_t point) {
  std::vector<Setting> settings = settings_of(study, point);
  settings.push_back({"name", fmt::format("{}_{}", study.name, point)});
  return apply_settings(study.hardware_text, settings);
}

Hardware hardware_of(const Study& study, std::int64_t point) {
  return load_hardware_text(hardware_text_of(study, point), fmt::format("point_{}.yaml", point));
}

const StudyFigureInfo& info_of(StudyFigure figure) {
  const StudyFigureInfo& info = kFigures.at(static_cast<std::size_t>(figure));
  SIM_CHECK(info.figure == figure, "figure {} stands in the wrong row", info.key);
  return info;
}

std::optional<StudyFigure> parse_objective_name(std::string_view name) {
  return found(&StudyFigureInfo::objective, name);
}
std::optional<StudyFigure> parse_figure_key(std::string_view key) { return found(&StudyFigureInfo::key, key); }
std::string objective_names() { return listed(&StudyFigureInfo::objective); }
std::string figure_keys() { return listed(&StudyFigureInfo::key); }

}  // namespace tilewright
