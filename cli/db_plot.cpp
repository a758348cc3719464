// tilewright db plot CHECK.csv -o PREFIX: the two figures of how far costs are proportional, from what `db check --csv`
// measured.
#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <map>
#include <memory>

#include "cli/db.h"
#include "planner/report/scatter_svg.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

using Row = std::map<std::string, std::string>;  // by the name of the column

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line)
    if (c == ',')
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  return fields;
}

std::vector<Row> read_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UserError(path, "cannot be read");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = fields_of(line);
  std::vector<Row> rows;
  for (int number = 2; std::getline(file, line); ++number) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != names.size())
      throw UserError(fmt::format("{}:{}", path, number),
                      fmt::format("{} fields, expected {}", fields.size(), names.size()));
    rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) rows.back()[names[i]] = fields[i];
  }
  return rows;
}

double number(const Row& row, const std::string& column, const std::string& path) {
  const auto found = row.find(column);
  if (found == row.end())
    throw UserError(path, fmt::format("has no column '{}', expected a table of 'db check --csv'", column));
  const std::string& text = found->second;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UserError(path, fmt::format("column '{}' holds '{}', expected a number", column, text));
  return value;
}

std::vector<Row> measured_rows(const std::string& path) {
  std::vector<Row> rows = read_table(path);
  std::erase_if(rows, [](const Row& row) {
    const auto measured = row.find("measured_linearity");
    return measured != row.end() && measured->second.empty();
  });
  if (rows.empty()) throw UserError(path, "has no measured shape");
  return rows;
}

void plot(const std::string& path, const std::string& prefix) {
  Scatter size{.title = "Measured cost over the proportional one",
               .x_label = "multiply-adds of the shape",
               .y_label = "measured linearity",
               .first = "linear region",
               .second = "outside it",
               .log_x = true};
  Scatter predicted = size;
  predicted.title = "Predicted and measured linearity", predicted.x_label = "predicted linearity";
  predicted.log_x = false, predicted.diagonal = true;
  for (const Row& row : measured_rows(path)) {
    const double measured = number(row, "measured_linearity", path),
                 expected = number(row, "predicted_linearity", path);
    const auto region = row.find("linear_region");
    const bool linear = region != row.end() && region->second == "yes";
    size.points.push_back({number(row, "multiply_adds", path), measured, linear});
    if (expected > 0) predicted.points.push_back({expected, measured, linear});
  }
  write_text(prefix + "_size.svg", scatter_svg(size));
  write_text(prefix + "_predicted.svg", scatter_svg(predicted));
  fmt::print("{0}_size.svg: {1} shapes\n{0}_predicted.svg: {2} shapes\n", prefix, size.points.size(),
             predicted.points.size());
}

}  // namespace

void add_db_plot(CLI::App& db) {
  auto table = std::make_shared<std::string>(), prefix = std::make_shared<std::string>();
  CLI::App* sub = db.add_subcommand("plot", "Two figures of a table of 'db check --csv': how linear costs are");
  sub->add_option("TABLE", *table, "table written by 'db check --csv'")->required();
  sub->add_option("-o,--output", *prefix, "writes PREFIX_size.svg and PREFIX_predicted.svg")
      ->required()
      ->type_name("PREFIX");
  sub->callback([table, prefix] { plot(*table, *prefix); });
}

}  // namespace tilewright
