#include "planner/search/study/study_values.h"

#include <cmath>
#include <functional>

namespace tilewright {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMostRows = 10000;

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
  for (double value = from; value <= last && rows.size() <= kMostRows; value = next(value))
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

}  // namespace

std::vector<Row> read_rows(YamlMap& parameter, std::size_t keys) {
  const int given = parameter.has("values") + parameter.has("range") + parameter.has("log_range");
  if (given != 1) parameter.problem("values", "expected exactly one of values, range, log_range");
  std::vector<Row> rows;
  if (parameter.has("log_range")) rows = log_range_rows(parameter, keys);
  if (parameter.has("range")) rows = range_rows(parameter, keys);
  if (parameter.has("values")) rows = listed_rows(parameter, keys);
  if (rows.size() > kMostRows) {
    parameter.problem("values", fmt::format("more than {} values", kMostRows));
    rows.clear();
  }
  return rows;
}

}  // namespace tilewright
