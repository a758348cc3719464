// Our whole path beside measured silicon: products on an NVIDIA A100.
#pragma once

#include <string>

#include "sim/session.h"
#include "validation/report.h"
#include "validation/silicon.h"

namespace tilewright {

// Runs the drawn rows of the table at `csv_path` on `chip`, in microseconds, as a library
// runs them (library_gemm.h). Every row is judged by
// three times the mean error that is aimed at; the table of errors by family is ValidationReport::table.
ValidationReport validate_a100(const std::string& csv_path, Session& chip, const SiliconSample& sample);

}  // namespace tilewright
