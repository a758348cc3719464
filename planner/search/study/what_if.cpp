#include "planner/search/study/what_if.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sim/base/error.h"
#include "sim/base/text_list.h"
#include "sim/base/yaml_reader.h"
#include "sim/hw/config/kind_keys.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

constexpr const char* kWhere = "--what-if";

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  return YAML::convert<double>::decode(YAML::Node(text), value) ? std::optional(value) : std::nullopt;
}

// The resolved value of a key; empty where the chip has none.
std::string value_of(const YAML::Node& chip, const std::string& path) {
  YAML::Node node = YAML::Clone(chip);
  for (const std::string_view piece : pieces_of(path, '.')) {
    const std::string key(piece);
    if (!node.IsMap() || !node[key]) return "";
    node.reset(node[key]);
  }
  return node.IsScalar() ? node.Scalar() : "";
}

void check_key(const std::string& key) {
  static const std::set<std::string> kKnown = hardware_keys();
  if (kKnown.contains(key) && key != "name") return;
  const std::optional<std::string> hint = nearest_name(key, kKnown);
  throw UserError(kWhere, fmt::format("'{}' is no key of a hardware file{}", key,
                                      hint ? fmt::format(", did you mean '{}'?", *hint) : ""));
}

// What counts cycles costs less when it is smaller.
bool is_cost(std::string_view key) {
  return key.ends_with("_cycles") || key.ends_with("_clocks") || key.ends_with("_passes") || key.ends_with(".tck_ps") ||
         key.starts_with("dram.timing.");
}

bool is_rate(std::string_view key) {
  static constexpr std::array<std::string_view, 9> kRates{"core.vector.lanes",
                                                          "core.dma.outstanding_requests",
                                                          "core.dma.requests_per_cycle",
                                                          "core.dma.buffer_bytes_per_cycle",
                                                          "core.control.dispatch_per_cycle",
                                                          "core.control.fetch_ahead",
                                                          "cluster_memory.banks",
                                                          "cluster_memory.mshrs",
                                                          "network.flit_bytes"};
  return std::find(kRates.begin(), kRates.end(), key) != kRates.end() || key.ends_with("bank_bytes_per_cycle");
}

std::string written(double value) {
  return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

std::string multiplied(const std::string& key, const std::string& old, double factor) {
  const std::optional<double> value = number_in(old);
  if (!value) throw UserError(kWhere, fmt::format("{}: is '{}' on this chip, which no factor can change", key, old));
  return written(*value * factor);
}

std::string freed(const std::string& key, const std::string& old) {
  if (key == "network.topology") return "simple";
  if (is_cost(key)) return "0";
  if (is_rate(key)) return multiplied(key, old, kFreeRate);
  throw UserError(kWhere, fmt::format("{}: cannot be free; expected xN or a value", key));
}

std::string new_value(const std::string& key, const std::string& change, const std::string& old) {
  if (change == "free") return freed(key, old);
  if (change.size() < 2 || change.front() != 'x') return change;
  const std::optional<double> factor = number_in(change.substr(1));
  if (!factor || *factor <= 0) throw UserError(kWhere, fmt::format("{}: got '{}', expected e.g. x2", key, change));
  return multiplied(key, old, *factor);
}

double taken_away(const std::string& key, const std::string& old_text, const std::string& new_text, bool free) {
  const std::optional<double> before = number_in(old_text), after = number_in(new_text);
  if (free || !before || !after || *before <= 0 || *after <= 0) return 1;
  return std::max(0.0, 1 - (is_cost(key) ? *after / *before : *before / *after));
}

WhatIfSetting parse_setting(const std::string& text, const YAML::Node& chip, bool has_kinds) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw UserError(kWhere, fmt::format("got '{}', expected KEY=xN, KEY=VALUE or KEY=free", text));
  const std::string key = text.substr(0, equals), change = text.substr(equals + 1);
  check_key(key);
  if (has_kinds && is_key_of_kinds(key))
    throw UserError(kWhere, fmt::format("{}: the chip's clusters differ; change it in the hardware file", key));
  const std::string old = value_of(chip, key), value = new_value(key, change, old);
  return {key, value, taken_away(key, old, value, change == "free")};
}

}  // namespace

std::vector<WhatIf> parse_what_if(const std::string& text, const Hardware& chip) {
  const YAML::Node values = YAML::Load(to_yaml(chip));
  std::vector<WhatIf> changes;
  for (const std::string_view change : pieces_of(text, ',')) {
    changes.push_back({std::string(change), {}});
    for (const std::string_view setting : pieces_of(change, '+'))
      changes.back().settings.push_back(parse_setting(std::string(setting), values, !chip.kinds.empty()));
  }
  return changes;
}

Hardware changed_hardware(const WhatIf& change, const std::string& text) {
  std::vector<Setting> settings;
  for (const WhatIfSetting& setting : change.settings) settings.push_back({setting.key, setting.value});
  return load_hardware_text(apply_settings(text, settings), fmt::format("{} {}", kWhere, change.text));
}

}  // namespace tilewright
