// The space of tilings of one contraction on a chip: parts over the cores x partition and tile of m x partition and
// tile of n x partition of k x loop orders x held operand, as numbered points, so that it can be counted and cut into
// slices.
//
// Sizes are those that cut a dimension evenly: for 1 to 8 and then 12, 16, 24, 32, 48 ... steps the smallest multiple
// of the hardware's block that needs no more steps. A convolution is cut between images, else between rows, else
// between columns of the output; k between channels.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "planner/estimate/tiling_bound.h"

namespace tilewright {

// Why a point is not measured, in the order they are asked.
enum class TilingFilter : std::uint8_t {
  kIdleCores,    // another core could be given a part
  kBufferA,      // does not fit
  kBufferB,      // does not fit
  kAccumulator,  // does not fit
  kSameProgram,  // another point has the same program: an order of one step
  kBound         // cannot be better than what is known
};
inline constexpr int kTilingFilterCount = 6;
std::string_view name_of(TilingFilter filter);  // "idle cores" "buffer A" ...

using FilterCounts = std::array<std::int64_t, kTilingFilterCount>;

struct StepAndTile {
  std::int64_t step = 1, tile = 1;
};

class TilingSpace {
 public:
  // All points that give the operator to the cores in the same parts.
  struct Block {
    TilingPoint parts;  // the rest at its default
    GemmShape largest;
    bool idle_cores = false;
    std::int64_t first = 0;  // number of the first point
    std::vector<std::int64_t> k;
    std::vector<StepAndTile> m, n;
  };
  // Coordinates of a point.
  struct Place {
    std::size_t block = 0, k = 0, m = 0, n = 0;
    int order = 0;
  };

  explicit TilingSpace(const TilingProblem& problem);

  std::int64_t size() const { return size_; }
  int orders() const { return orders_; }
  const std::vector<Block>& blocks() const { return blocks_; }

  Place place_of(std::int64_t number) const;
  std::int64_t number_of(const Place& place) const;
  TilingPoint point(const Place& place) const;
  TilingPoint point(std::int64_t number) const { return point(place_of(number)); }
  // The place whose sizes have the smallest ratios to those of `point`; none without a block of its parts.
  std::optional<Place> nearest(const TilingPoint& point) const;

 private:
  void add_blocks(const TilingProblem& problem);

  int orders_ = 4;  // bit 0: n outside, bit 1: m tiles outside, bit 2: A held
  std::int64_t size_ = 0;
  std::vector<Block> blocks_;
};

// Sizes as described above, largest first.
std::vector<std::int64_t> even_sizes(std::int64_t whole, std::int64_t block);

}  // namespace tilewright
