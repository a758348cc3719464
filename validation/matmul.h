// Our array timing beside SCALE-Sim's closed forms and Gemmini's RTL: the function the matmul unit runs with.
#pragma once

#include <string>

#include "sim/hw/config/core_spec.h"
#include "sim/hw/timing/array_time.h"
#include "validation/report.h"

namespace tilewright {

// Rows of SCALE-Sim's table with `overlap: none`, judged exactly; rows of Gemmini's table with the array of `gemmini`
// and the tiling of each row, judged at 2 % (GEMM) and 6 % (convolution) of the RTL, and shown, without the cost of an
// instruction, beside ONNXim's compute cycles.
ValidationReport validate_matmul(const std::string& scale_sim_csv, const std::string& gemmini_csv,
                                 const MatmulSpec& gemmini);

// The tiles of one row's "mapping". UserError(where, ...) when it is not understood.
std::vector<ArrayWork> gemmini_tiles(const std::string& where, const MatmulSpec& spec, const std::string& mapping,
                                     bool conv);

// Cycles from the first instruction to the last result of the tiles of one row's "mapping", one after the other by the
// pipeline rule of sim/hw/timing/array_time.h. UserError(where, ...) when the mapping is not understood.
Cycles gemmini_cycles(const std::string& where, const MatmulSpec& spec, const std::string& mapping, bool conv);

}  // namespace tilewright
