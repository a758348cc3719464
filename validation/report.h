// What a validation run found: our figures beside published reference figures, row by row. A value; the printers only
// read it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

struct ValidationRow {
  std::string group;   // one claim, e.g. "dram bandwidth"; rows of a group are summarised together
  std::string name;    // the case, e.g. "DDR4 M1 seq_read closed32"
  std::string metric;  // with unit, e.g. "bytes/clk"
  double reference = 0, ours = 0;
  double error_percent = 0;            // signed; of the reference, or points where the metric is a share
  std::optional<double> band_percent;  // largest |error| that is accepted; absent: shown, not judged
  bool ok = true;
};

// A row of a table that could not be run; it is counted and named, and the others go on.
struct LeftOutRow {
  std::string group;
  std::string why;  // begins with the row's name
};

struct ValidationGroup {
  std::string group;
  int rows = 0, judged = 0, outside = 0;
  double mean_abs_error = 0, worst_abs_error = 0;  // percent, over all rows of the group
  std::string worst{};                             // name of the worst row
};

struct ValidationReport {
  std::string title;      // e.g. "DRAM"
  std::string reference;  // where the reference figures come from
  std::vector<ValidationRow> rows;
  std::vector<LeftOutRow> left_out;
  std::string table;  // printed behind the summary, as it is

  // Error relative to `reference`; a reference of 0 counts as an error of 100 % unless ours is 0 too.
  void add(std::string group, std::string name, std::string metric, double reference, double ours,
           std::optional<double> band_percent);
  // For shares in [0, 1]: error and band in percentage points.
  void add_share(std::string group, std::string name, std::string metric, double reference, double ours,
                 std::optional<double> band_points);
  // The reference is the range between two figures, in either order (two simulators disagree): error is the distance to
  // the range, 0 inside it.
  void add_range(std::string group, std::string name, std::string metric, double low, double high, double ours,
                 std::optional<double> band_percent);

  // The reference, and `band_percent` more, is an upper limit: below it the error is shown without judgement.
  void add_at_most(std::string group, std::string name, std::string metric, double reference, double ours,
                   double band_percent = 0);

  // Runs one row of a table; what it throws as a UserError makes it a row left out.
  void attempt(const std::string& group, const std::function<void()>& row);

  bool ok() const;
  // In order of first appearance.
  std::vector<ValidationGroup> summary() const;
};

// Group summary, then (with `all_rows`) every row, else only the rows outside their band.
std::string to_text(const ValidationReport& report, bool all_rows);
// group,name,metric,reference,ours,error_percent,band_percent,ok
std::string to_csv(const ValidationReport& report);

}  // namespace tilewright
