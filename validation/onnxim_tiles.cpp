#include "validation/onnxim_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/units.h"

namespace tilewright {
namespace {

constexpr Bytes kElement = 2, kSum = 4;
constexpr std::int64_t kHalves = 2;  // of scratchpad and accumulator: one is loaded while the other is in use

// The longest side of a tile in blocks: square output tiles that fill half of the accumulator, and strips of K that
// fill half of the scratchpad's half.
struct Limits {
  std::int64_t side, deep;
};

Limits limits_of(const Hardware& hardware) {
  const std::int64_t block = hardware.core.matmul.rows;
  const Bytes scratchpad = hardware.core.buffer_a + hardware.core.buffer_b;
  const std::int64_t sums = hardware.core.accumulator / (block * kSum * kHalves) / block;
  const std::int64_t operands = scratchpad / (block * kElement * kHalves) / kHalves / block;
  const auto side = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(sums))));
  return {side, std::max<std::int64_t>(1, operands / side)};
}

// Elements of a tile when `length` is divided into `tiles`, rounded down to whole blocks.
std::int64_t inner_of(std::int64_t length, std::int64_t tiles, std::int64_t block) {
  const std::int64_t inner = ceil_div(round_up(length, block), tiles);
  return std::max(block, inner / block * block);
}

// Neighbouring tiles of one core along one dimension, so that no core has more than its share.
std::int64_t cores_along(std::int64_t tiles, std::int64_t cores) {
  for (std::int64_t parts = std::min(tiles, cores); parts > 1; --parts)
    if (cores % parts == 0 && tiles % parts == 0) return parts;
  return 1;
}

std::vector<Range> parts_of(std::int64_t length, std::int64_t tile, std::int64_t tiles, std::int64_t parts) {
  std::vector<Range> ranges;
  const std::int64_t step = ceil_div(tiles, parts) * tile;
  for (std::int64_t begin = 0; begin < length; begin += step) ranges.push_back({begin, std::min(length, begin + step)});
  return ranges;
}

Tiling tiling_of(const Hardware& hardware, const OnnximTiles& tiles, const WorkItem& item, std::int64_t k) {
  const std::int64_t block = hardware.core.matmul.rows;
  Tiling tiling;
  tiling.partition_m = std::min(tiles.m, item.output[0].size());
  tiling.partition_n = std::min(tiles.n, item.output[1].size());
  tiling.partition_k = std::min(tiles.k, k);
  tiling.tile_m = std::min(block, tiling.partition_m);
  tiling.tile_n = std::min(block, tiling.partition_n);
  tiling.need_splitk = tiling.use_acc_buffer = tiling.partition_k < k;
  tiling.reason = "ONNXim's";
  return tiling;
}

Tiling conv_tiling_of(const Hardware& hardware, const OnnximConvTiles& tiles, const WorkItem& item,
                      std::int64_t channels, std::int64_t kernel) {
  const std::int64_t rows = std::min(tiles.p, item.output[2].size()), columns = item.output[3].size();
  Tiling tiling;
  tiling.partition_m = std::min(tiles.m, item.output[1].size());
  tiling.partition_n = tiles.q < columns ? tiles.q : rows * columns;
  // Weights come block by block: the first product need not wait for those of all channels.
  tiling.partition_k = std::min<std::int64_t>({tiles.c, channels, hardware.core.matmul.rows}) * kernel;
  tiling.need_splitk = tiling.use_acc_buffer = tiling.partition_k < channels * kernel;
  tiling.tile_m = std::min<std::int64_t>(hardware.core.matmul.columns, tiling.partition_m);
  tiling.tile_n = tiling.partition_n;
  tiling.a_stationary = true;  // A of a convolution are its weights
  tiling.reason = "ONNXim's";
  return tiling;
}

}  // namespace

OnnximTiles onnxim_tiles(const Hardware& hardware, std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t block = hardware.core.matmul.rows, cores = hardware.cores();
  const Limits limits = limits_of(hardware);
  OnnximTiles tiles;
  tiles.outer_m = ceil_div(m, limits.side * block);
  tiles.outer_n = ceil_div(n, limits.side * block);
  tiles.outer_k = ceil_div(k, limits.deep * block);
  std::int64_t* longer = n > m && n > cores ? &tiles.outer_n : m > n && m > cores ? &tiles.outer_m : nullptr;
  if (longer && tiles.outer_m * tiles.outer_n < cores) *longer *= ceil_div(cores, tiles.outer_m * tiles.outer_n);
  if (longer) *longer += tiles.outer_m * tiles.outer_n % cores;
  tiles.m = inner_of(m, tiles.outer_m, block);
  tiles.n = inner_of(n, tiles.outer_n, block);
  tiles.k = inner_of(k, tiles.outer_k, block);
  tiles.outer_m = ceil_div(m, tiles.m);
  tiles.outer_n = ceil_div(n, tiles.n);
  tiles.outer_k = ceil_div(k, tiles.k);
  return tiles;
}

OperatorChoice onnxim_choice(const Hardware& hardware, const OnnximTiles& tiles, std::int64_t m, std::int64_t n,
                             std::int64_t k) {
  const std::int64_t cores = hardware.cores();
  std::int64_t along_m = cores_along(tiles.outer_m, cores);
  std::int64_t along_n = std::min(tiles.outer_n, cores / along_m);
  if (along_m * along_n < std::min(cores, tiles.outer_m)) along_m = std::min(cores, tiles.outer_m), along_n = 1;
  OperatorChoice choice;
  int core = 0;
  for (const Range& rows : parts_of(m, tiles.m, tiles.outer_m, along_m))
    for (const Range& columns : parts_of(n, tiles.n, tiles.outer_n, along_n))
      choice.split.items.push_back({core++, {rows, columns}});
  choice.split.reason = fmt::format("ONNXim's {} x {} tiles", tiles.outer_m, tiles.outer_n);
  for (const WorkItem& item : choice.split.items) choice.tilings.push_back(tiling_of(hardware, tiles, item, k));
  return choice;
}

OperatorChoice onnxim_conv_choice(const Hardware& hardware, const OnnximConvTiles& tiles, const Shape& output,
                                  std::int64_t channels, std::int64_t kernel) {
  const std::int64_t along_m = cores_along(tiles.outer_m, hardware.cores());
  const std::int64_t along_p = std::min(tiles.outer_p, hardware.cores() / along_m);
  OperatorChoice choice;
  int core = 0;
  for (const Range& filters : parts_of(output[1], tiles.m, tiles.outer_m, along_m))
    for (const Range& rows : parts_of(output[2], tiles.p, tiles.outer_p, along_p))
      choice.split.items.push_back({core++, {{0, output[0]}, filters, rows, {0, output[3]}}});
  choice.split.reason = fmt::format("ONNXim's {} x {} x {} tiles", tiles.outer_m, tiles.outer_p, tiles.outer_q);
  for (const WorkItem& item : choice.split.items)
    choice.tilings.push_back(conv_tiling_of(hardware, tiles, item, channels, kernel));
  return choice;
}

}  // namespace tilewright
