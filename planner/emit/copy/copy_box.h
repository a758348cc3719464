// Boxes of a copy: loops with a stride on either side. Everything counts elements; a box may have any number of loops
// until limit_loops().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright {

struct CopyLoop {
  std::int64_t count = 1, read = 0, write = 0;  // iterations, and the stride of each side; one of them may be negative
  auto operator<=>(const CopyLoop&) const = default;
};

struct CopyBox {
  std::int64_t read = 0, write = 0;  // places of the first element
  std::vector<CopyLoop> loops;       // outermost first
  bool zeros = false;                // nothing is read: what is written is zeros

  std::int64_t elements() const;
  // Elements that are neighbours on both sides, at the inner end.
  std::int64_t run() const;
  auto operator<=>(const CopyBox&) const = default;
};

// Loops by falling write stride, those of one iteration gone, neighbours that are one run on both sides as one.
CopyBox folded(CopyBox box);

// The same with every loop turned round whose stride of `side` is negative.
CopyBox upwards(CopyBox box, std::int64_t CopyLoop::*side);

// The outermost loop that steps into what the loops inside it write: a DMA engine takes nested strides only. -1: none.
std::ptrdiff_t entangled_loop(const CopyBox& box);

// Boxes of the same loops whose places grow by the same steps become one box with a loop more, and a box that goes on
// where another one's loop ends makes that loop longer. The order of the result depends on the boxes alone.
std::vector<CopyBox> joined(std::vector<CopyBox> boxes);

// One box per iteration of a loop.
std::vector<CopyBox> unroll(const CopyBox& box, std::size_t loop);

// Boxes of at most `most` loops with nested write strides, as the DMA engine takes them: loops that step into what
// inner ones write are unrolled, then those with the fewest iterations.
std::vector<CopyBox> limit_loops(const CopyBox& box, std::size_t most);

// Boxes that fill each other's gaps in the output: stored one after the other each would leave the rest of a burst or a
// request alone; stored together they are whole runs.
//
// Groups of boxes of the same counts and write strides, each inside the gaps of the first one; most have one box. Runs
// of `good_run` elements are long enough by themselves, and no group has more boxes than that.
std::vector<std::vector<CopyBox>> interleaved(std::vector<CopyBox> boxes, std::int64_t good_run);

}  // namespace tilewright
