// Our whole path, planner included, beside measured silicon: kernels of one TPU v4 chip.
#pragma once

#include <string>

#include "sim/session.h"
#include "validation/report.h"
#include "validation/silicon.h"

namespace tilewright {

// Runs the drawn rows of the table at `csv_path` on `chip`, each kernel that XLA launched as a program of its own, in
// microseconds. Every row is judged by the band of its family, three times the mean error that is aimed at; the table
// of errors by family is ValidationReport::table.
ValidationReport validate_tpuv4(const std::string& csv_path, Session& chip, const SiliconSample& sample);

}  // namespace tilewright
