#include "planner/search/study/study_parameter_read.h"

#include <fmt/format.h>

#include <set>

#include "planner/search/study/study_values.h"
#include "sim/base/error.h"
#include "sim/hw/read_hardware.h"

namespace tilewright {
namespace {

const std::set<std::string>& known_keys() {
  static const std::set<std::string> kKnown = hardware_keys();
  return kKnown;
}

void check_keys(YamlMap& map, const std::string& key, const std::vector<std::string>& keys) {
  std::set<std::string> seen;
  for (const std::string& name : keys) {
    const std::optional<std::string> hint = nearest_name(name, known_keys());
    if (!known_keys().contains(name) || name == "name")
      map.problem(key, fmt::format("'{}' is no key of a hardware file{}", name,
                                   hint && *hint != name ? fmt::format(", did you mean '{}'?", *hint) : ""));
    else if (!seen.insert(name).second)
      map.problem(key, fmt::format("'{}' is named twice", name));
  }
  if (keys.empty()) map.problem(key, "expected a key of a hardware file");
}

// "file:line: path: got ..." -> "path: got ...", of the first problem.
std::string without_place(const std::string& message) {
  const std::size_t end = message.find('\n');
  return message.substr(message.find(": ") + 2, end == std::string::npos ? end : end - message.find(": ") - 2);
}

// A value of the wrong type is the study's mistake, not the points'. A type does not depend on the other keys.
void check_values(YamlMap& map, const StudyParameter& parameter) {
  for (const std::string& key : parameter.keys)
    if (!known_keys().contains(key)) return;
  for (const std::vector<std::string>& row : parameter.rows) {
    std::vector<Setting> settings;
    for (std::size_t k = 0; k < row.size(); ++k) settings.push_back({parameter.keys[k], row[k]});
    try {
      read_hardware_text(apply_settings("{}", settings), "chip").problems.check();
    } catch (const UserError& error) {
      map.problem(map.has("values") ? "values" : map.has("range") ? "range" : "log_range", without_place(error.what()));
      return;
    }
  }
}

}  // namespace

StudyParameter read_study_parameter(YamlMap& map) {
  StudyParameter parameter;
  const bool one = map.has("key");
  if (one == map.has("keys")) map.problem("key", "expected exactly one of key, keys");
  if (std::optional<std::string> key = map.text("key")) parameter.keys = {*key};
  if (std::optional<std::vector<std::string>> keys = map.texts("keys"); keys && !one) parameter.keys = *keys;
  check_keys(map, one ? "key" : "keys", parameter.keys);
  parameter.rows = read_rows(map, parameter.keys.size());
  map.reject_unknown_keys();
  check_values(map, parameter);
  return parameter;
}

}  // namespace tilewright
