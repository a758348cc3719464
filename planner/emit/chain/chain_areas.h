// Where a chain's blocks lie in a core's buffers.
#pragma once

#include <optional>
#include <vector>

#include "planner/emit/chain/chain.h"
#include "planner/emit/epilogue_lowering.h"

namespace tilewright {

// Areas of one step, one behind the other: two of what changes from visit to visit; of operand B all there are, where
// they fit, so that each is loaded once; one of sums that several visits add to, where two have no room: the next row
// block's then wait until these have been stored. The second of two products side by side reads the A of the first.
// A softmax whose sums the array forms (vector_relief.h) has a one in buffer B.
// What the last result is combined with is loaded for so many of its rows at a time: all, or, where that has no room, a
// few.
struct StepAreas {
  Address a = 0, b = 0, c = 0, maxima = 0, sums = 0;
  Bytes a_bytes = 0, b_bytes = 0, c_bytes = 0, maxima_bytes = 0, sums_bytes = 0;  // of one
  std::optional<Address> one;
  bool factor_on_rows = false;
  int copies_of_b = 2, copies_of_c = 2;
  EpilogueAreas epilogue;
  std::int64_t finished_rows = 0;
};
using ChainAreas = std::vector<StepAreas>;

// Nothing when the core has no room for the blocks.
std::optional<ChainAreas> chain_areas(const Chain& chain, const ChainBlocks& blocks);

}  // namespace tilewright
