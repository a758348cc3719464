// Gaps between the rows of tensors in DRAM (PlacedPiece::gap).
#pragma once

#include "planner/ir/plan.h"

namespace tilewright {

// Rows of what operators write and of the network's inputs lie as far apart as ir/row_pitch.h says, where all who see
// the tensor in another shape see its rows as well. A single row has none. Pieces are placed before, rows nested
// (nesting.h). Constants have none: cores read their parts of them in one run. None either where rows_may_lie_apart()
// says so.
void set_row_gaps(Plan& plan);

// All rows behind one another again, where memory is short.
void close_row_gaps(Plan& plan);

// InternalError for a gap in what is no tensor of those, or is seen in a shape without its rows.
void expect_row_gaps(const Plan& plan);

}  // namespace tilewright
