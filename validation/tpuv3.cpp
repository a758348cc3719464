#include "validation/tpuv3.h"

#include <cmath>

#include "planner/search/tiling/plan_network.h"
#include "sim/base/csv.h"
#include "validation/tpuv3_workload.h"

namespace tilewright {
namespace {

constexpr double kMeanErrorBand = 15, kRowBand = 30;

void judge_mean_error(ValidationReport& report) {
  double sum = 0, rows = 0;
  for (const ValidationRow& row : report.rows) sum += std::fabs(row.error_percent), ++rows;
  const double mean = sum / rows;
  ValidationRow row{.group = "tpuv3 mean error", .name = "all rows", .metric = "mean absolute error, %"};
  row.ours = row.error_percent = mean;
  row.band_percent = kMeanErrorBand;
  row.ok = mean <= kMeanErrorBand;
  report.rows.push_back(row);
}

}  // namespace

ValidationReport validate_tpuv3(const std::string& csv_path, Session& core) {
  ValidationReport report{.title = "TPU v3 core", .reference = "measured, PyTorchSim artifact baseline_cycle.csv"};
  for (const CsvRow& row : read_csv_table(csv_path))
    report.attempt("tpuv3", [&] {
      const std::string& op = row.text("op");
      double cycles = 0;
      for (const Graph& kernel : tpuv3_kernels(row.where(), op, row.text("dims")))
        cycles += static_cast<double>(measure_network(core, kernel, {.type = DataType::kFp32}).cycles);
      report.add("tpuv3 " + op, row.text("dims"), "cycles", row.number("measured_cycles"), cycles, kRowBand);
    });
  judge_mean_error(report);
  return report;
}

}  // namespace tilewright
