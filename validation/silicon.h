// Measured kernels beside ours: which rows of a large table are run, and how their errors are told.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/base/csv.h"
#include "validation/report.h"

namespace tilewright {

// Which rows of a measured table are run: those that a parameter comes from, and of every family others by a draw.
struct SiliconSample {
  int per_family = 12;  // 0: all
  std::uint64_t seed = 1;
};

struct SiliconRow {
  std::string family, name;
  double measured = 0, ours = 0, roofline = 0;  // in the table's unit
  bool parameter = false;                       // a parameter of the hardware file comes from this row
};

// A row as it is before it runs.
struct SiliconCandidate {
  std::string family;
  bool parameter = false;
  bool large = false;  // runs only where all rows are asked for, parameter or not
  double band_percent = 0;
};

// Positions of the rows to run, ascending.
std::vector<std::size_t> draw_rows(const std::vector<SiliconCandidate>& rows, const SiliconSample& sample);

// Of absolute errors, percent.
struct ErrorFigures {
  std::size_t rows = 0;
  double mean = 0, median = 0, p90 = 0, worst = 0;
};
ErrorFigures figures_of(std::vector<double> absolute_errors);

// One line for each family: errors of the rows that no parameter comes from, the roofline's on the same rows, the mean
// over the rows that parameters come from, and the means of two random halves, drawn with `seed`, of those that are
// not.
std::string silicon_table(const std::vector<SiliconRow>& rows, std::uint64_t seed);

// How the rows of one table are understood. Both throw UserError(where, ...) for a row that cannot run.
struct SiliconSuite {
  std::string title, reference, unit;
  std::function<SiliconCandidate(const CsvRow&)> candidate;
  std::function<SiliconRow(const CsvRow&)> run;  // all but family and parameter
};

// Runs the drawn rows of the table at `csv_path`, each judged by its own band; rows that cannot run are named and the
// others go on. The table of errors by family is ValidationReport::table.
ValidationReport validate_silicon(const std::string& csv_path, const SiliconSample& sample, const SiliconSuite& suite);

}  // namespace tilewright
