#include "validation/library_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "validation/graph_maker.h"

namespace tilewright {
namespace {

// CUTLASS's shapes for tensor cores.
struct TileShape {
  std::int64_t m, n;
};
constexpr std::array<TileShape, 8> kTileShapes{
    {{256, 128}, {128, 256}, {256, 64}, {64, 256}, {128, 128}, {128, 64}, {64, 128}, {64, 64}}};
// Steps along K: a smaller tile has as many bytes under way in a deeper pipeline. And the shortest part of a split K.
constexpr std::int64_t kStepTimesSide = 64 * 256, kLeastPart = 256;
constexpr std::array<std::int64_t, 10> kParts{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
// Two of them are in the accumulator while one is stored, where a sum is not made in steps.
constexpr std::int64_t kMostAtOnce = 128;
// Of a wave, before its first product and behind its last: a read of DRAM and one write of it.
constexpr double kWaveLatency = 1200;

// Whole steps of a pipeline; the last part may reach beyond K.
std::int64_t depth_of_part(const LibraryGemm& gemm, std::int64_t k) {
  return gemm.parts == 1 ? k : round_up<std::int64_t>(ceil_div(k, gemm.parts), kTileShapes.back().m);
}

double waves_of(const Hardware& hardware, const LibraryGemm& gemm, std::int64_t m, std::int64_t n) {
  const std::int64_t tiles = ceil_div(m, gemm.m) * ceil_div(n, gemm.n) * gemm.parts;
  return static_cast<double>(ceil_div<std::int64_t>(tiles, hardware.cores()));
}

// Of a tile: its multiply-adds, or its operands through the port of the core.
double tile_cycles(const Hardware& hardware, const LibraryGemm& gemm, std::int64_t m, std::int64_t n, std::int64_t k) {
  const MatmulSpec& array = hardware.core.matmul;
  const double per_cycle = array.rate[static_cast<int>(DataType::kBf16)] * array.rows * array.columns * array.arrays;
  const auto deep = static_cast<double>(depth_of_part(gemm, k));
  const double products = static_cast<double>(gemm.m * gemm.n) * deep / per_cycle;
  const double bytes = 2 * static_cast<double>(std::min(m, gemm.m) + std::min(n, gemm.n)) * deep;
  return std::max(products, bytes / static_cast<double>(hardware.core.dma.buffer_bytes_per_cycle) * 2);
}

double estimated_cycles(const Hardware& hardware, const LibraryGemm& gemm, std::int64_t m, std::int64_t n,
                        std::int64_t k) {
  const double second = gemm.parts > 1 ? hardware.core.control.launch_cycles + kWaveLatency : 0;
  return waves_of(hardware, gemm, m, n) * (kWaveLatency + tile_cycles(hardware, gemm, m, n, k)) + second;
}

Tiling tiling_of(const LibraryGemm& gemm, std::int64_t m, std::int64_t n, std::int64_t k) {
  Tiling tiling;
  tiling.partition_m = tiling.tile_m = std::min(gemm.m, m);
  tiling.partition_n = tiling.tile_n = std::min(gemm.n, n);
  tiling.partition_k = std::min(kStepTimesSide / std::max(gemm.m, gemm.n), k);
  tiling.need_splitk = tiling.use_acc_buffer = tiling.partition_k < k;
  if (!tiling.need_splitk) {
    tiling.tile_m = std::min(kMostAtOnce, tiling.tile_m);
    tiling.tile_n = std::min(kMostAtOnce, tiling.tile_n);
  }
  tiling.reason = "the library's";
  return tiling;
}

// Ranges of at most `step`.
std::vector<Range> cut(std::int64_t length, std::int64_t step) {
  std::vector<Range> ranges;
  for (std::int64_t begin = 0; begin < length; begin += step) ranges.push_back({begin, std::min(length, begin + step)});
  return ranges;
}

// Tiles that one core makes one after the other lie side by side along the longer side of the result.
std::pair<std::int64_t, std::int64_t> steps_of(const Hardware& hardware, const LibraryGemm& gemm, std::int64_t m,
                                               std::int64_t n) {
  const std::int64_t down = ceil_div(m, gemm.m), across = ceil_div(n, gemm.n);
  for (std::int64_t waves = 1;; ++waves) {
    if (down * ceil_div(across, waves) * gemm.parts <= hardware.cores()) return {gemm.m, gemm.n * waves};
    if (ceil_div(down, waves) * across * gemm.parts <= hardware.cores()) return {gemm.m * waves, gemm.n};
  }
}

OperatorChoice library_choice(const Hardware& hardware, const LibraryGemm& gemm, std::int64_t m, std::int64_t n,
                              std::int64_t k) {
  const auto [rows, columns] = steps_of(hardware, gemm, m, n);
  OperatorChoice choice;
  choice.split.reason = fmt::format("the library's tiles of {} x {}", gemm.m, gemm.n);
  int core = 0;
  for (std::int64_t part = 0; part < gemm.parts; ++part)
    for (const Range& down : cut(m, rows))
      for (const Range& across : cut(n, columns)) {
        BoxRange box{down, across};
        if (gemm.parts > 1) box.insert(box.begin(), {part, part + 1});
        choice.split.items.push_back({core++, box, {}});
        choice.tilings.push_back(tiling_of(gemm, down.size(), across.size(), depth_of_part(gemm, k)));
      }
  return choice;
}

LibraryKernel products(const Hardware& hardware, const LibraryGemm& gemm, std::int64_t m, std::int64_t n,
                       std::int64_t k) {
  GraphMaker make("linear");
  Attributes transposed;
  transposed.transpose_b = true;
  const std::int64_t deep = depth_of_part(gemm, k);
  const bool split = gemm.parts > 1;
  const TensorId x = make.input("x", split ? Shape{gemm.parts, m, deep} : Shape{m, deep});
  const TensorId w = make.constant("w", split ? Shape{gemm.parts, n, deep} : Shape{n, deep});
  LibraryKernel kernel{make.finish(make.add("product", OpKind::kMatMul, {x, w}, transposed)), {}};
  kernel.options.choices = {library_choice(hardware, gemm, m, n, k)};
  return kernel;
}

LibraryKernel sum_of_parts(std::int64_t parts, std::int64_t elements) {
  GraphMaker make("sum of parts");
  Attributes first;
  first.axes = {0}, first.keepdims = true;
  return {make.finish(make.add("sum", OpKind::kReduceSum, {make.input("parts", {parts, elements})}, first)),
          {.type = DataType::kFp32}};
}

}  // namespace

LibraryGemm library_gemm(const Hardware& hardware, std::int64_t m, std::int64_t n, std::int64_t k) {
  LibraryGemm best;
  double least = -1;
  for (const TileShape& shape : kTileShapes)
    for (const std::int64_t parts : kParts) {
      const LibraryGemm gemm{shape.m, shape.n, parts};
      const bool full = ceil_div(m, gemm.m) * ceil_div(n, gemm.n) * parts > hardware.cores();
      if (parts > 1 && (full || k / parts < kLeastPart)) continue;
      const double cycles = estimated_cycles(hardware, gemm, m, n, k);
      if (least < 0 || cycles < least) least = cycles, best = gemm;
    }
  return best;
}

std::vector<LibraryKernel> library_kernels(const Hardware& hardware, std::int64_t m, std::int64_t n, std::int64_t k) {
  const LibraryGemm gemm = library_gemm(hardware, m, n, k);
  std::vector<LibraryKernel> kernels;
  kernels.push_back(products(hardware, gemm, m, n, k));
  if (gemm.parts > 1) kernels.push_back(sum_of_parts(gemm.parts, m * n));
  return kernels;
}

}  // namespace tilewright
