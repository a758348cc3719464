#include "planner/ir/split_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace tilewright {
namespace {

std::size_t split_dimension(const std::vector<std::int64_t>& sizes, std::int64_t channels) {
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] >= channels) return d;
  return static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
}

std::int64_t piece_count(std::int64_t size, std::int64_t channels, std::int64_t cores) {
  if (size >= cores) return cores;
  return size >= channels ? channels : size;
}

std::int64_t piece_length(std::int64_t granules, std::int64_t pieces, Rounding rounding) {
  const std::int64_t low = std::max<std::int64_t>(1, granules / pieces), high = ceil_div(granules, pieces);
  if (rounding == Rounding::kFloor) return low;
  return rounding == Rounding::kNearest && 2 * (granules % pieces) < pieces ? low : high;
}

}  // namespace

std::vector<Range> cut_pieces(std::int64_t size, std::int64_t pieces, Rounding rounding, std::int64_t granule) {
  SIM_CHECK(size > 0 && pieces > 0 && granule > 0, "{} elements in {} pieces of granules of {}", size, pieces, granule);
  const std::int64_t granules = ceil_div(size, granule);
  pieces = std::min(pieces, granules);
  std::vector<Range> ranges;
  if (rounding == Rounding::kEven) {
    for (std::int64_t i = 0; i < pieces; ++i)
      ranges.push_back({i * granules / pieces * granule, std::min(size, (i + 1) * granules / pieces * granule)});
    return ranges;
  }
  const std::int64_t length = piece_length(granules, pieces, rounding) * granule;
  for (std::int64_t begin = 0; begin < size && std::ssize(ranges) < pieces; begin += length)
    ranges.push_back({begin, std::min(size, begin + length)});
  ranges.back().end = size;
  return ranges;
}

std::vector<Range> cut_in_proportion(std::int64_t size, const std::vector<double>& weights, std::int64_t granule) {
  const std::int64_t granules = ceil_div(size, granule), pieces = std::ssize(weights);
  SIM_CHECK(pieces > 0 && pieces <= granules, "{} granules in {} pieces", granules, pieces);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Range> ranges;
  double done = 0;
  std::int64_t begin = 0;
  for (std::int64_t piece = 1; piece <= pieces; ++piece) {
    done += weights[static_cast<std::size_t>(piece - 1)];
    const std::int64_t wanted = std::llround(done / all * static_cast<double>(granules));
    const std::int64_t end = std::clamp(wanted, begin + 1, granules - (pieces - piece));
    ranges.push_back({begin * granule, std::min(size, end * granule)});
    begin = end;
  }
  return ranges;
}

SplitIndex split_index(const std::vector<std::int64_t>& sizes, std::int64_t channels, std::int64_t cores,
                       Rounding rounding) {
  SIM_CHECK(!sizes.empty(), "no dimension to split");
  SplitIndex index;
  index.dimension = split_dimension(sizes, channels);
  const std::int64_t size = sizes[index.dimension];
  index.ranges = cut_pieces(size, piece_count(size, channels, cores), rounding);
  return index;
}

}  // namespace tilewright
