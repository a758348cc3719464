// Whole chips beside ONNXim: GEMMs and convolutions on its TPU v4 configuration with its simple interconnect.
#pragma once

#include <string>

#include "sim/session.h"
#include "validation/report.h"

namespace tilewright {

// Every row of the table at `csv_path`; rows of configuration tpu_c4_simple run on `four_cores`, those of tpu_c1_simple
// on `one_core`. Judged: with ONNXim's tiles and cores within 10 % of its cycles; as we plan it, never slower, or at
// most 5 % slower where ONNXim's reads do not cover its operands. UserError for a row that is neither.
ValidationReport validate_chip(const std::string& csv_path, Session& four_cores, Session& one_core);

}  // namespace tilewright
