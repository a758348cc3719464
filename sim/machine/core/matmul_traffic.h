// What one matmul instruction moves between the buffers and the array.
#pragma once

#include "sim/hw/config/core_spec.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// Multiply-adds and buffer traffic of one instruction on an array of this dataflow.
struct MatmulTraffic {
  std::int64_t macs = 0;
  Bytes a_read = 0, b_read = 0, accumulator_read = 0, accumulator_write = 0;
};
MatmulTraffic traffic_of(const MatmulSpec& spec, const Matmul& matmul);

}  // namespace tilewright
