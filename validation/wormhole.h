// Products on Tenstorrent's chips beside measured cycles: their kernel's tiling and its multicasts as a program.
#pragma once

#include <string>

#include "planner/emit/communication/multicast_product.h"
#include "sim/base/csv.h"
#include "sim/session.h"
#include "validation/report.h"
#include "validation/silicon.h"

namespace tilewright {

struct TensixChips {
  Session& wormhole;   // n150
  Session& blackhole;  // p150
};

// The work of a row. UserError(where, ...) for a row without tiling and for what is no product of this table.
MulticastProduct tensix_product(const CsvRow& row);

// Runs the drawn rows of the table at `csv_path`, in cycles of the device, on the chip that a row names.
ValidationReport validate_wormhole(const std::string& csv_path, const TensixChips& chips, const SiliconSample& sample);

}  // namespace tilewright
