// Boxes cut into tiles that pass through a buffer: a load that walks the input, a store that walks the output. A tile
// is long in the innermost loops of both sides, so that either walk has long runs.
#pragma once

#include "planner/passes/layout_copy_box.h"
#include "sim/isa/instruction.h"

namespace tilewright {

// Boxes of at most `room` elements that cover `box`. Runs of `good_run` elements are wanted on both sides.
std::vector<CopyBox> cut_into_tiles(const CopyBox& box, std::int64_t room, std::int64_t good_run);

// A tile on its way. `load` writes, `store` reads elements of the buffer from 0 on. What the input side repeats or
// overlaps is loaded once.
struct StagedTile {
  CopyBox load, store;
  std::int64_t elements = 0;  // of the buffer
};
StagedTile stage(const CopyBox& tile);

// Where the elements of one side are: the space, the address of element 0 and the element size.
struct CopyMemory {
  Space space = Space::kDram;
  Address address = 0;
};

// Transfers of `box`, one unless it has more than five loops.
std::vector<Transfer> transfers_of(const CopyBox& box, TransferKind kind, DataType type, const CopyMemory& from,
                                   const CopyMemory& to);

}  // namespace tilewright
