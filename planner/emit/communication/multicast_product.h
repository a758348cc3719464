// A product on a grid of cores as tt-metal's 2-D multicast kernel runs it: every core makes a rectangle of C, the first
// core of a column reads the tiles of B from DRAM and gives them to the others of the column, and one core of every row
// gives the tiles of A to the others of the row.
//
// A multicast is here a load by all receivers at the same time, which the network serves with one answer
// (network.combined_reads): the receivers of a line meet at a barrier, as the kernel's semaphores have them, and read
// the buffer of the sender.
#pragma once

#include <cstdint>
#include <string>

#include "sim/hw/config/hardware.h"
#include "sim/isa/program.h"

namespace tilewright {

inline constexpr std::int64_t kTileSide = 32;

// Sizes in tiles of 32 x 32 elements.
struct MulticastProduct {
  int rows = 1, columns = 1;     // of cores, all of one cluster
  int core_m = 1, core_n = 1;    // of C made by a core
  int block_m = 1, block_n = 1;  // of these at a time, with the sums of a block in the accumulator
  int block_k = 1, k = 1;        // of a step, and in all
  Bytes tile_bytes = 2048;       // of A, B and C
  double cycles_per_tile = 64;   // of a core for the product of two tiles
  bool a_in_cores = false;       // A lies in the buffers, cut along K over the columns of cores; else in DRAM
  bool c_in_cores = false;       // C stays where it is made; else it goes to DRAM

  int blocks() const { return core_m / block_m * (core_n / block_n); }
  int steps_of_block() const { return k / block_k; }
};

// The operator whose end is the end of the last product.
inline constexpr const char* kMulticastProducts = "products";

// The first `blocks` blocks of every core. UserError for sizes that do not divide, and for what does not fit.
Program multicast_product_program(const Hardware& hardware, const std::string& name, const MulticastProduct& product,
                                  int blocks);

}  // namespace tilewright
