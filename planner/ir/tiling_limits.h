// What one core of a chip offers to a tiling, and which tilings are legal within it.
#pragma once

#include <string>

#include "planner/constants/constants.h"
#include "planner/ir/gemm_shape.h"
#include "planner/ir/packed_weights.h"
#include "planner/ir/tiling.h"
#include "sim/hw/config/core_spec.h"

namespace tilewright {

// An array on which a convolution may compute several output columns abreast (ir/abreast.h).
struct AbreastArray {
  MatmulSpec matmul;
  DataType type = DataType::kBf16;
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
  double adjust = constants().accumulator_step;
  int buffering = static_cast<int>(constants().buffering);  // copies of whatever is loaded or computed more than once
  std::optional<AbreastArray> array;                        // nothing: one output column at a time
  std::optional<PackedWeights> packed;                      // what B is expanded from, in buffer B beside it
  bool may_spill = false;  // sums may lie in the input buffers, where the vector unit adds to them (ir/spill.h)
  Bytes factor = 0;        // of a channel of A, in buffer A beside it; 0: A is not scaled (Attributes::channel_factors)
  // Accumulate buffer taken by the operands of epilogues, per row, per column and per element of a tile.
  Bytes acc_bytes_per_row = 0, acc_bytes_per_column = 0, acc_bytes_per_element = 0;
  // And by what is reduced of whole rows, per row of a partition (ir/follower.h).
  Bytes row_results = 0;
};

// The same where all sums of a partition have to fit the accumulate buffer.
inline TilingLimits without_spill(TilingLimits limits) {
  limits.may_spill = false;
  return limits;
}

// Bytes of `rows` rows of a partition of A in the buffer; filters of columns abreast once for each.
Bytes rows_of_a_bytes(std::int64_t rows, const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
// Bytes that `tiling` occupies in each memory, all copies counted.
Bytes buffer_a_bytes(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
Bytes buffer_b_bytes(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
// A partition of B as the unit multiplies it, and places for what tiles of it are expanded from: behind the copies.
Bytes partition_b_bytes(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
Bytes packed_places_at(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
Bytes packed_place_bytes(const Tiling& tiling, const TilingLimits& limits);
// Places for the factors of a partition of A: behind its copies.
Bytes factor_places_at(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
Bytes factor_place_bytes(std::int64_t partition_k, const GemmShape& shape, const TilingLimits& limits);
// Bytes of B in DRAM, of columns times rows of it.
Bytes stored_b_bytes(std::int64_t columns, std::int64_t depth, const TilingLimits& limits);
// Of the accumulate buffer: what the operands of a tile's epilogues take; all of it that a tiling takes. Sums that do
// not fit count as far as there is room for them elsewhere (ir/spill.h).
Bytes epilogue_bytes(const Tiling& tiling, const TilingLimits& limits);
Bytes accumulator_bytes(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
// One place for what is reduced of the rows of a partition; 0 where nothing is, of parts of rows or without room.
Bytes row_results_bytes(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

// Copies of a partition of A (of B) that are held: one when it is loaded only once, else limits.buffering.
int copies_of_a(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
int copies_of_b(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

// How often A and B are read. With split K, partitions and steps are gone through in alternating directions: the copies
// filled last serve the next partition, too. Partitions count as equally large.
struct OperandReads {
  double a = 1, b = 1;
};
OperandReads operand_reads(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);
// Never more than the program reads, however unequal the partitions are: as if the largest were the ones kept.
// `m_steps` and `n_steps`: partitions of each direction.
OperandReads least_operand_reads(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits,
                                 std::int64_t m_steps, std::int64_t n_steps);

// Sets what follows from the steps: split-K, how often each matrix is read, bytes of the accumulate buffer, output
// columns abreast.
void derive(Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

// Why `tiling` is illegal for `shape` within `limits`; empty when it is legal.
std::string check_tiling(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

}  // namespace tilewright
