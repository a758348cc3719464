#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>

#include "planner/search/study/study_read.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMaxRows = 10000;

std::string one_line(const YAML::Node& value) {
  if (value.IsNull()) return "~";
  YAML::Node copy = YAML::Clone(value);
  if (!copy.IsScalar()) copy.SetStyle(YAML::EmitterStyle::Flow);
  return YAML::Dump(copy);
}

// One element of `values`.
Row row_of(const YAML::Node& element, std::size_t keys) {
  if (keys == 1 || !element.IsSequence()) return Row(keys, one_line(element));
  Row row;
  for (const YAML::Node& value : element) row.push_back(one_line(value));
  return row;
}

std::vector<Row> listed_rows(YamlMap& parameter, std::size_t keys) {
  const std::optional<YAML::Node> list = parameter.node("values");
  std::vector<Row> rows;
  if (!list->IsSequence()) parameter.expected("values", "a list of values");
  if (list->IsSequence() && list->size() == 0) parameter.problem("values", "the list is empty");
  if (!list->IsSequence()) return rows;
  for (const YAML::Node& element : *list) {
    rows.push_back(row_of(element, keys));
    if (rows.back().size() == keys) continue;
    parameter.problem("values", fmt::format("got {} values in a row, expected {}, one per key", element.size(), keys));
    return {};
  }
  return rows;
}

// Twelve digits: steps like 0.1 are shown as they were meant.
std::vector<Row> counted_rows(double from, double to, std::size_t keys, const std::function<double(double)>& next) {
  std::vector<Row> rows;
  const double last = to + 1e-9 * std::abs(to);
  for (double value = from; value <= last && rows.size() <= kMaxRows; value = next(value))
    rows.emplace_back(keys, fmt::format("{:.12g}", value));
  return rows;
}

struct Span {
  double from = 0, to = 0, step = 0;
};

// A mapping of from, to and the step's name; a problem when one is missing or the span is empty.
std::optional<Span> read_span(YamlMap& parameter, const char* key, const char* step, double step_above,
                              double from_at_least) {
  std::optional<YamlMap> map = parameter.map(key);
  if (!map) return std::nullopt;
  const std::optional<double> from = map->number("from"), to = map->number("to"), by = map->number(step);
  map->reject_unknown_keys();
  for (const char* name : {"from", "to", step})
    if (!map->has(name)) map->problem(name, "missing, expected a number");
  if (!from || !to || !by) return std::nullopt;
  if (*from < from_at_least) map->expected("from", fmt::format("{} or more", from_at_least));
  if (*to < *from) map->expected("to", fmt::format("{} or more", *from));
  if (*by <= step_above) map->expected(step, fmt::format("more than {}", step_above));
  if (*from < from_at_least || *to < *from || *by <= step_above) return std::nullopt;
  return Span{*from, *to, *by};
}

std::vector<Row> range_rows(YamlMap& parameter, std::size_t keys) {
  const std::optional<Span> span = read_span(parameter, "range", "step", 0, -1e12);
  if (!span) return {};
  // Each from its number, so that rounding does not add up.
  int i = 0;
  return counted_rows(span->from, span->to, keys, [&](double) { return span->from + ++i * span->step; });
}

std::vector<Row> log_range_rows(YamlMap& parameter, std::size_t keys) {
  const std::optional<Span> span = read_span(parameter, "log_range", "factor", 1, 1e-9);
  if (!span) return {};
  return counted_rows(span->from, span->to, keys, [&](double value) { return value * span->step; });
}

// Exactly one of
//   values: [1, 2]               every key takes the same value; or, for K keys, lists of K values
//   range: {from, to, step}      from, from + step, ... up to `to`
//   log_range: {from, to, factor}
// as rows of `keys` values each. Problems are recorded; the rows are then empty.
std::vector<Row> read_rows(YamlMap& parameter, std::size_t keys) {
  const int given = parameter.has("values") + parameter.has("range") + parameter.has("log_range");
  if (given != 1) parameter.problem("values", "expected exactly one of values, range, log_range");
  std::vector<Row> rows;
  if (parameter.has("log_range")) rows = log_range_rows(parameter, keys);
  if (parameter.has("range")) rows = range_rows(parameter, keys);
  if (parameter.has("values")) rows = listed_rows(parameter, keys);
  if (rows.size() > kMaxRows) {
    parameter.problem("values", fmt::format("more than {} values", kMaxRows));
    rows.clear();
  }
  return rows;
}

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
