#include "planner/search/study/study.h"

#include <yaml-cpp/yaml.h>

#include "sim/base/error.h"
#include "sim/hw/config/resolve.h"

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

}  // namespace tilewright
