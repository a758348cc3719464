// Tiling of one core's GEMM or convolution from closed formulas, without search (docs: the tiling method).
//
// C[m,n] = A[m,k] x B[k,n]. A convolution is mapped onto it: A = weights (m = output channels), B = activations
// (n = images * output rows * output columns, k = channels * kernel), read through windows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/passes/tile/tiling.h"

namespace tilewright {

// What of a convolution's geometry changes the size of its operand B: the window reads each input several times.
struct ConvShape {
  std::int64_t channels = 1, kernel_h = 1, kernel_w = 1;  // channels: of one group
  std::int64_t images = 1, rows = 1, columns = 1;         // output positions
  std::int64_t stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t together = 1;  // images that are not cut while rows can be

  std::int64_t kernel() const { return kernel_h * kernel_w; }
  // Elements of the input box behind images x rows x columns of output, halo included.
  std::int64_t input_elements(std::int64_t images, std::int64_t rows, std::int64_t columns,
                              std::int64_t channels) const;
};

struct GemmShape {
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t batches = 1;  // independent products one after the other
  std::optional<ConvShape> conv;
};

struct TilingLimits {
  Bytes d_s = 2;                    // element of A and B
  Bytes acc_element = 4;            // element of the accumulate buffer
  double mata_bw = 1, matb_bw = 1;  // bytes per cycle
  Bytes b_s1 = 0, b_s2 = 0;         // buffers A and B
  Bytes acc_buffer_max = 0;
  double hw_power = 1;                // multiply-adds * element bytes per cycle
  std::int64_t sync_granularity = 8;  // blocks
  std::int64_t block_size_m = 1, block_size_n = 1;
  double adjust = 0.5;
  int buffering = 2;  // copies of whatever is loaded or computed more than once
  // Accumulate buffer taken by the operands of epilogues, per row and per column of a tile.
  Bytes acc_bytes_per_row = 0, acc_bytes_per_column = 0;
};

// Bytes that `tiling` occupies in each memory, all copies counted.
Bytes buffer_a_bytes(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
Bytes buffer_b_bytes(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
Bytes accumulator_bytes(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

// Copies of a partition of A (of B) that are held: one when it is loaded only once, else limits.buffering.
int copies_of_a(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
int copies_of_b(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

// How often A and B are read. With split K, partitions and steps are gone through forth and back: the copies filled
// last serve the next partition, too. `m_steps` and `n_steps`: partitions of each direction. Never more than the
// program reads.
struct OperandReads {
  double a = 1, b = 1;
};
OperandReads operand_reads(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits,
                           std::int64_t m_steps, std::int64_t n_steps);

// Sets what follows from the steps: split-K, how often each matrix is read, bytes of the accumulate buffer.
void derive(Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

// Why `tiling` is illegal for `shape` within `limits`; empty when it is legal.
std::string check_tiling(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

// The formulas alone, rounded down to integers of at least 1; may exceed a capacity.
Tiling tiling_formulas(const GemmShape& shape, const TilingLimits& limits);

// The nearest tiling that check_tiling() accepts. UserError naming the limit when there is none.
Tiling legalise(Tiling tiling, const GemmShape& shape, const TilingLimits& limits);

// legalise(tiling_formulas()).
Tiling closed_form(const GemmShape& shape, const TilingLimits& limits);

}  // namespace tilewright
