// Measured kernels beside ours: which rows of a large table are run, and how their errors are told.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/csv.h"
#include "validation/report.h"

namespace tilewright {

// Which rows of a measured table are run: those that a parameter comes from, and of every family others by a draw.
struct SiliconSample {
  int per_family = 12;  // 0: all
  std::uint64_t seed = 1;
  std::function<void(const std::string& line)> family_done = nullptr;  // told a family's errors when its rows have run
};

struct SiliconRow {
  std::string family, name;
  double measured = 0, ours = 0, roofline = 0;  // in the table's unit
  bool parameter = false;                       // a parameter of the hardware file comes from this row
};

// What is asked of the errors of a family's rows that no parameter comes from: at most this mean or median, percent.
struct FamilyLimit {
  double percent = 0;
  bool of_median = false;
};

// A row as it is before it runs.
struct SiliconCandidate {
  std::string family;
  bool parameter = false;
  bool large = false;                  // runs only where all rows are asked for, parameter or not
  std::optional<FamilyLimit> limit{};  // of its family; absent: shown, not judged
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

// A row further off than this many times what is asked of its family is named below the table.
inline constexpr double kFarOff = 3;

// Runs the drawn rows of the table at `csv_path`, family by family, and judges each family by its limit; rows that
// cannot run are named and the others go on. The table of errors by family and the rows far off are
// ValidationReport::table.
ValidationReport validate_silicon(const std::string& csv_path, const SiliconSample& sample, const SiliconSuite& suite);

}  // namespace tilewright
