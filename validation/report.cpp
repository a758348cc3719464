#include "validation/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/csv.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

double relative_percent(double reference, double ours) {
  if (reference == 0) return ours == 0 ? 0 : 100;
  return 100 * (ours - reference) / std::abs(reference);
}

void add_row(std::vector<ValidationRow>& rows, ValidationRow row) {
  // Written so that a NaN is outside every band.
  row.ok = !row.band_percent || std::abs(row.error_percent) <= *row.band_percent;
  rows.push_back(std::move(row));
}

std::string band_text(const ValidationRow& row) {
  return row.band_percent ? fmt::format("{:.1f}", *row.band_percent) : "-";
}

void count(ValidationGroup& group, const ValidationRow& row) {
  const double error = std::abs(row.error_percent);
  group.rows += 1;
  group.judged += row.band_percent.has_value();
  group.outside += !row.ok;
  group.mean_abs_error += error;
  if (group.worst.empty() || !(error <= group.worst_abs_error)) {
    group.worst_abs_error = error;
    group.worst = row.name;
  }
}

}  // namespace

void ValidationReport::add(std::string group, std::string name, std::string metric, double reference, double ours,
                           std::optional<double> band_percent) {
  add_row(rows, {std::move(group), std::move(name), std::move(metric), reference, ours,
                 relative_percent(reference, ours), band_percent});
}

void ValidationReport::add_at_most(std::string group, std::string name, std::string metric, double reference,
                                   double ours, double band_percent) {
  const double error = relative_percent(reference, ours);
  const bool ok = error <= band_percent;
  rows.push_back({std::move(group), std::move(name), std::move(metric), reference, ours, error, band_percent, ok});
}

void ValidationReport::add_share(std::string group, std::string name, std::string metric, double reference, double ours,
                                 std::optional<double> band_points) {
  add_row(rows, {std::move(group), std::move(name), std::move(metric), reference, ours, 100 * (ours - reference),
                 band_points});
}

void ValidationReport::add_range(std::string group, std::string name, std::string metric, double low, double high,
                                 double ours, std::optional<double> band_percent) {
  if (low > high) std::swap(low, high);
  const double nearest = std::isnan(ours) ? low : std::clamp(ours, low, high);
  add_row(rows, {std::move(group), std::move(name), std::move(metric), nearest, ours, relative_percent(nearest, ours),
                 band_percent});
}

void ValidationReport::attempt(const std::string& group, const std::function<void()>& row) {
  try {
    row();
  } catch (const UserError& error) {
    left_out.push_back({group, error.what()});
  }
}

bool ValidationReport::ok() const {
  return std::all_of(rows.begin(), rows.end(), [](const ValidationRow& row) { return row.ok; });
}

std::vector<ValidationGroup> ValidationReport::summary() const {
  std::vector<ValidationGroup> groups;
  for (const ValidationRow& row : rows) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.group == row.group; });
    if (found == groups.end()) found = groups.insert(groups.end(), ValidationGroup{.group = row.group});
    count(*found, row);
  }
  for (ValidationGroup& group : groups) group.mean_abs_error /= group.rows;
  return groups;
}

namespace {

std::string left_out_text(const ValidationReport& report, bool all_rows) {
  if (report.left_out.empty()) return "";
  std::string text =
      fmt::format("  {} rows could not be run{}\n", report.left_out.size(), all_rows ? ":" : " (--rows names them)");
  for (const LeftOutRow& row : report.left_out)
    if (all_rows) text += fmt::format("  --  {}: {}\n", row.group, row.why);
  return text;
}

}  // namespace

std::string to_text(const ValidationReport& report, bool all_rows) {
  std::string text = fmt::format("{}: against {}\n", report.title, report.reference);
  const std::vector<ValidationGroup> groups = report.summary();
  std::size_t width = 28;
  for (const ValidationGroup& g : groups) width = std::max(width, g.group.size());
  text += fmt::format("  {:<{}} {:>5} {:>7} {:>8} {:>8}  {}\n", "group", width, "rows", "outside", "mean %", "worst %",
                      "worst case");
  for (const ValidationGroup& g : groups)
    text += fmt::format("  {:<{}} {:>5} {:>7} {:>8.2f} {:>8.2f}  {}\n", g.group, width, g.rows, g.outside,
                        g.mean_abs_error, g.worst_abs_error, g.worst);
  text += report.table;
  text += left_out_text(report, all_rows);
  for (const ValidationRow& row : report.rows)
    if (all_rows || !row.ok)
      text += fmt::format("  {} {:<{}} {:<44} {:<16} reference {:>10.4f} ours {:>10.4f} error {:>+8.2f} % band {}\n",
                          row.ok ? "ok " : "OUT", row.group, width, row.name, row.metric, row.reference, row.ours,
                          row.error_percent, band_text(row));
  return text;
}

std::string to_csv(const ValidationReport& report) {
  std::string csv = "group,name,metric,reference,ours,error_percent,band_percent,ok\n";
  for (const ValidationRow& row : report.rows)
    csv += fmt::format("{},{},{},{:.6g},{:.6g},{:.3f},{},{}\n", csv_field(row.group), csv_field(row.name),
                       csv_field(row.metric), row.reference, row.ours, row.error_percent,
                       row.band_percent ? fmt::format("{:g}", *row.band_percent) : "", row.ok ? 1 : 0);
  return csv;
}

}  // namespace tilewright
