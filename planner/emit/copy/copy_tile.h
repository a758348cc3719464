// Boxes cut into tiles that pass through a buffer: a load that walks the input, a store that walks the output. A tile
// is long in the innermost loops of both sides, so that either walk has long runs.
#pragma once

#include "planner/emit/copy/copy_box.h"
#include "sim/isa/instruction.h"

namespace tilewright {

struct TileRules {
  std::int64_t room = 1;      // elements of the buffer for one tile
  std::int64_t fair = 1;      // elements that a tile should move, if good runs need no more
  std::int64_t good_run = 1;  // elements that are worth having as one run on either side
  // Elements that memory moves at least, and those that it could move while the cores send one request. Where reading
  // on through a gap costs no more than a request for each run, the gap is loaded, too.
  std::int64_t burst = 0, per_request = 0;

  bool reads_through(std::int64_t run, std::int64_t stride) const;
};

// A tile on its way. `loads` write, `stores` read elements of the buffer from 0 on. What the input side repeats or
// overlaps is loaded once.
struct StagedTile {
  std::vector<CopyBox> loads, stores;
  std::int64_t elements = 0;   // of the buffer
  std::int64_t moved() const;  // elements of the output
};

// Tiles that move all of `boxes`. Boxes that fill each other's gaps in the output are stored together.
std::vector<StagedTile> staged_tiles(const std::vector<CopyBox>& boxes, const TileRules& rules);

// Where the elements of one side are: the space, the address of element 0 and the element size.
struct CopyMemory {
  Space space = Space::kDram;
  Address address = 0;
};

// Transfers of `box`, one unless it has more than five loops. A load of zeros pads.
std::vector<Transfer> transfers_of(const CopyBox& box, TransferKind kind, DataType type, const CopyMemory& from,
                                   const CopyMemory& to);

}  // namespace tilewright
