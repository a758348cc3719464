// A chain of products in dataflow style: each core holds the weights of one layer, blocks of rows go from core to core.
#pragma once

#include <vector>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

// y = relu(... relu(x W0) W1 ...), all in bf16: x is rows x width, each weight width x width.
struct DataflowChain {
  std::int64_t rows = 0, width = 0;
  std::int64_t block_rows = 0;  // handed over at a time
  std::vector<int> cores;       // one layer each, in the order of the layers
};

// Segments "x", "w0", "w1" ... and "y". The weights stay in buffer B; two blocks of input have a place in buffer A, two
// blocks of sums and of results in the accumulate buffer. DRAM sees weights, input and output only. UserError for what
// does not fit and for cores that the chip does not have.
Program dataflow_chain_program(const Hardware& hardware, const DataflowChain& chain);

}  // namespace tilewright
