// needs:      the layouts and views of the two sides of a copy
// does:       turns the map from coordinates to places into strided boxes, at the borders of blocks, not by element
// guarantees: every coordinate is moved by exactly one box; runs that are contiguous on both sides stay whole as far as
//             no border of a block cuts them
//
// The method: loops over the coordinates carry a linear expression for the element number on either side. Going from
// there to the place in memory divides it by sizes of dimensions and blocks. Wherever a division would carry inside the
// loops, the loops are cut until it does not; then quotient and remainder are linear again. Boxes go upwards in the
// output; where the input is flipped against it, downwards in that.
#pragma once

#include "planner/emit/copy/copy_box.h"
#include "planner/emit/copy/copy_map.h"

namespace tilewright {

// Which side is a plain walk through its tensor, in PyTorch's words: of the views, not of the layouts.
enum class CopyDirection { kReorder, kGather, kScatter, kStrided };  // both, the output, the input, neither contiguous
CopyDirection direction_of(const CopySide& from, const CopySide& to);
std::string_view name_of(CopyDirection direction);

// Boxes of any number of loops, each inside one piece of either memory. UserError without a place when the shapes
// differ, a place of the output is written twice, or the layouts break the copy into more than kMaxCopyBoxes boxes.
std::vector<CopyBox> plan_copy(const CopySide& from, const CopySide& to);
inline constexpr std::size_t kMaxCopyBoxes = std::size_t{1} << 20;

// Boxes that write zeros to the padding of a layout: what lies behind its offset and is no element. Inside the pieces
// of `to`, whose view does not matter.
std::vector<CopyBox> zero_padding(const CopySide& to);

// What no method can do without. Counted element by element, to compare with: memory and time grow with the tensors.
struct CopyBound {
  std::int64_t runs = 0;               // of elements that are neighbours in the input and in the output
  std::int64_t read = 0, written = 0;  // different elements of the input and of the output
  std::vector<bool> reads, writes;     // whether a place of the memory is one of them; up to the last that is
};
CopyBound copy_bound(const CopySide& from, const CopySide& to);

}  // namespace tilewright
