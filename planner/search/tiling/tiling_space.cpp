#include "planner/search/tiling/tiling_space.h"

#include <algorithm>
#include <cmath>

#include "planner/constants/constants.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::int64_t next_step_count(std::int64_t steps) {
  if (steps < constants().tiling_dense_steps) return steps + 1;
  const bool power_of_two = (steps & (steps - 1)) == 0;
  return power_of_two ? steps / 2 * 3 : steps / 3 * 4;
}

// Columns of the result of at most `at_most`, as sizes between images, rows and columns.
std::vector<std::int64_t> column_sizes(const GemmShape& shape, std::int64_t at_most, std::int64_t block) {
  if (!shape.conv) return even_sizes(at_most, block);
  const std::int64_t width = shape.conv->columns, image = shape.conv->rows * width;
  std::vector<std::int64_t> sizes;
  auto add = [&](std::int64_t whole, std::int64_t unit) {
    for (const std::int64_t size : even_sizes(whole, 1)) sizes.push_back(size * unit);
  };
  if (at_most >= image) add(std::min(at_most / image, shape.conv->images), image);
  if (at_most >= width) add(std::min(at_most / width, shape.conv->rows), width);
  for (const std::int64_t size : even_sizes(std::min(at_most, width), block))
    if (size < width) sizes.push_back(size);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<StepAndTile> rows_of(const TilingProblem& problem, const GemmShape& shape) {
  std::vector<StepAndTile> pairs;
  for (const std::int64_t step : even_sizes(shape.m, problem.limits.block_size_m))
    for (const std::int64_t tile : even_sizes(step, problem.limits.block_size_m)) pairs.push_back({step, tile});
  return pairs;
}

std::vector<StepAndTile> columns_of(const TilingProblem& problem, const GemmShape& shape) {
  std::vector<StepAndTile> pairs;
  for (const std::int64_t step : column_sizes(shape, shape.n, problem.limits.block_size_n))
    for (const std::int64_t tile : column_sizes(shape, step, problem.limits.block_size_n))
      pairs.push_back({step, tile});
  return pairs;
}

// Steps of k: whole channels of a convolution, else bytes of whole bursts.
std::vector<std::int64_t> depths_of(const TilingProblem& problem, const GemmShape& shape) {
  if (!shape.conv)
    return even_sizes(shape.k, std::max<std::int64_t>(1, constants().tiling_k_step_bytes / problem.limits.d_s));
  std::vector<std::int64_t> sizes = even_sizes(shape.conv->channels, 1);
  for (std::int64_t& size : sizes) size *= shape.conv->kernel();
  return sizes;
}

bool leaves_idle(const TilingProblem& p, const TilingPoint& point) {
  const std::int64_t parts = point.parts_batch * point.parts_m * point.parts_n;
  auto may_grow = [&](std::int64_t mine, std::int64_t most) {
    return mine < most && parts / mine * (mine + 1) <= p.cores;
  };
  return may_grow(point.parts_batch, p.batch_parts) || may_grow(point.parts_m, p.m_parts) ||
         may_grow(point.parts_n, p.n_parts);
}

double log_distance(std::int64_t a, std::int64_t b) {
  return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b)));
}

std::size_t nearest_size(const std::vector<std::int64_t>& sizes, std::int64_t size) {
  const auto nearer = [&](std::int64_t a, std::int64_t b) { return log_distance(a, size) < log_distance(b, size); };
  return static_cast<std::size_t>(std::min_element(sizes.begin(), sizes.end(), nearer) - sizes.begin());
}

std::size_t nearest_pair(const std::vector<StepAndTile>& pairs, std::int64_t step, std::int64_t tile) {
  const auto distance = [&](const StepAndTile& pair) {
    return log_distance(pair.step, step) + log_distance(pair.tile, tile);
  };
  const auto nearer = [&](const StepAndTile& a, const StepAndTile& b) { return distance(a) < distance(b); };
  return static_cast<std::size_t>(std::min_element(pairs.begin(), pairs.end(), nearer) - pairs.begin());
}

}  // namespace

std::string_view name_of(TilingFilter filter) {
  constexpr std::array<std::string_view, kTilingFilterCount> kNames{"idle cores",        "buffer A",     "buffer B",
                                                                    "accumulate buffer", "same program", "bound"};
  return kNames[static_cast<int>(filter)];
}

std::vector<std::int64_t> even_sizes(std::int64_t whole, std::int64_t block) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t steps = 1; steps <= whole; steps = next_step_count(steps)) {
    const std::int64_t size = std::min(whole, round_up(ceil_div(whole, steps), block));
    if (sizes.empty() || size < sizes.back()) sizes.push_back(size);
    if (size <= block) break;
  }
  return sizes;
}

TilingSpace::TilingSpace(const TilingProblem& problem) {
  if (problem.core.matmul.dataflow == Dataflow::kWeightStationary) orders_ = 8;
  add_blocks(problem);
}

void TilingSpace::add_blocks(const TilingProblem& p) {
  for (std::int64_t batch = 1; batch <= std::min<std::int64_t>(p.batch_parts, p.cores); ++batch)
    for (std::int64_t m = 1; m <= std::min(p.m_parts, p.cores / batch); ++m)
      for (std::int64_t n = 1; n <= std::min(p.n_parts, p.cores / batch / m); ++n) {
        Block block;
        block.parts.parts_batch = batch, block.parts.parts_m = m, block.parts.parts_n = n;
        block.largest = largest_part(p, block.parts);
        block.idle_cores = leaves_idle(p, block.parts);
        block.first = size_;
        block.k = depths_of(p, block.largest);
        block.m = rows_of(p, block.largest);
        block.n = columns_of(p, block.largest);
        size_ += std::ssize(block.k) * std::ssize(block.m) * std::ssize(block.n) * orders_;
        blocks_.push_back(std::move(block));
      }
}

TilingSpace::Place TilingSpace::place_of(std::int64_t number) const {
  SIM_CHECK(number >= 0 && number < size_, "point {} of {}", number, size_);
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), number,
                                      [](std::int64_t n, const Block& block) { return n < block.first; });
  const Block& block = *(after - 1);
  Place place;
  place.block = static_cast<std::size_t>(after - 1 - blocks_.begin());
  auto rest = static_cast<std::size_t>(number - block.first);
  place.order = static_cast<int>(rest % static_cast<std::size_t>(orders_));
  rest /= static_cast<std::size_t>(orders_);
  place.n = rest % block.n.size(), rest /= block.n.size();
  place.m = rest % block.m.size(), rest /= block.m.size();
  place.k = rest;
  return place;
}

std::int64_t TilingSpace::number_of(const Place& place) const {
  const Block& block = blocks_[place.block];
  const std::size_t pair = (place.k * block.m.size() + place.m) * block.n.size() + place.n;
  return block.first + static_cast<std::int64_t>(pair) * orders_ + place.order;
}

TilingPoint TilingSpace::point(const Place& place) const {
  const Block& block = blocks_[place.block];
  TilingPoint p = block.parts;
  p.partition_m = block.m[place.m].step, p.tile_m = block.m[place.m].tile;
  p.partition_n = block.n[place.n].step, p.tile_n = block.n[place.n].tile;
  p.partition_k = block.k[place.k];
  p.outer_rowmajor = (place.order & 1) == 0;
  p.inner_rowmajor = (place.order & 2) != 0;
  p.a_stationary = (place.order & 4) != 0;
  return p;
}

std::optional<TilingSpace::Place> TilingSpace::nearest(const TilingPoint& p) const {
  const auto same_parts = [&](const Block& block) {
    return block.parts.parts_batch == p.parts_batch && block.parts.parts_m == p.parts_m &&
           block.parts.parts_n == p.parts_n;
  };
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), same_parts);
  if (block == blocks_.end()) return std::nullopt;
  Place place{.block = static_cast<std::size_t>(block - blocks_.begin())};
  place.k = nearest_size(block->k, p.partition_k);
  place.m = nearest_pair(block->m, p.partition_m, p.tile_m);
  place.n = nearest_pair(block->n, p.partition_n, p.tile_n);
  place.order = (p.outer_rowmajor ? 0 : 1) | (p.inner_rowmajor ? 2 : 0) | (p.a_stationary && orders_ > 4 ? 4 : 0);
  return place;
}

}  // namespace tilewright
