// The rule that cuts one dimension of a tensor into pieces for the cores (docs/labels.md, "Split index").
#pragma once

#include <vector>

#include "planner/ir/range.h"

namespace tilewright {

// How long a piece is when the pieces do not divide the dimension. kEven: lengths that differ by at most one granule;
// with the others all but the last piece are equally long.
enum class Rounding : std::uint8_t { kFloor, kCeil, kNearest, kEven };

struct SplitIndex {
  std::size_t dimension = 0;  // position in the list given
  std::vector<Range> ranges;  // consecutive, covering the dimension
  bool operator==(const SplitIndex&) const = default;
};

// `sizes`: the splittable dimensions by priority, padding included, at least one. `channels`: memory channels; `cores`:
// of the chip.
SplitIndex split_index(const std::vector<std::int64_t>& sizes, std::int64_t channels, std::int64_t cores,
                       Rounding rounding = Rounding::kCeil);

// As many ranges as `weights`, in proportion to these, none empty: at most one for each granule.
std::vector<Range> cut_in_proportion(std::int64_t size, const std::vector<double>& weights, std::int64_t granule = 1);

// At most `pieces` ranges that cover `size`, none empty, cut at multiples of `granule`.
std::vector<Range> cut_pieces(std::int64_t size, std::int64_t pieces, Rounding rounding, std::int64_t granule = 1);

}  // namespace tilewright
