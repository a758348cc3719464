// Our whole path, planner included, beside measured silicon: products on an NVIDIA A100.
#pragma once

#include <string>

#include "planner/graph/graph.h"
#include "sim/session.h"
#include "validation/report.h"
#include "validation/silicon.h"

namespace tilewright {

// y[m,n] = x[m,k] w[n,k]^T, in bf16.
Graph row_parallel_linear(std::int64_t m, std::int64_t n, std::int64_t k);

// Runs the drawn rows of the table at `csv_path` on `chip`, in microseconds, as we plan them. Every row is judged by
// three times the mean error that is aimed at; the table of errors by family is ValidationReport::table.
ValidationReport validate_a100(const std::string& csv_path, Session& chip, const SiliconSample& sample);

}  // namespace tilewright
