// Our whole path, planner included, beside measured silicon: kernels and networks on one core of a TPU v3.
#pragma once

#include <string>

#include "sim/session.h"
#include "validation/report.h"

namespace tilewright {

// Runs every row of the table at `csv_path` on `core`. Judged: the mean absolute error over all
// rows, at most 15 %, and every row, at most three times that.
ValidationReport validate_tpuv3(const std::string& csv_path, Session& core);

}  // namespace tilewright
