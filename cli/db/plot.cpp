// tilewright db plot CHECK.csv -o PREFIX: the two figures of how far costs are proportional, from what `db check --csv`
// measured.
#include <fmt/format.h>

#include <memory>

#include "cli/db/db.h"
#include "planner/report/study/scatter_svg.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

std::vector<CsvRow> measured_rows(const std::string& path) {
  std::vector<CsvRow> rows = read_csv_table(path);
  if (!rows.front().has("measured_linearity"))
    throw UserError(path, "has no column 'measured_linearity', expected a table of 'db check --csv'");
  std::erase_if(rows, [](const CsvRow& row) { return row.text("measured_linearity").empty(); });
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
  for (const CsvRow& row : measured_rows(path)) {
    const double measured = row.number("measured_linearity"), expected = row.number("predicted_linearity");
    const bool linear = row.text("linear_region") == "yes";
    size.points.push_back({row.number("multiply_adds"), measured, linear});
    if (expected > 0) predicted.points.push_back({expected, measured, linear});
  }
  write_text_file(prefix + "_size.svg", scatter_svg(size));
  write_text_file(prefix + "_predicted.svg", scatter_svg(predicted));
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
