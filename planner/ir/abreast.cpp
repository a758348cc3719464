#include "planner/ir/abreast.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tilewright {
namespace {

bool cuts_evenly(std::int64_t part, std::int64_t row, std::int64_t count) { return part >= row || part % count == 0; }

std::int64_t shared_window(const ConvShape& conv, std::int64_t count) {
  return conv.kernel_w + (count - 1) * conv.stride_w;
}

double steps(std::int64_t whole, std::int64_t part) { return static_cast<double>(whole) / static_cast<double>(part); }

// Core clocks of all that a convolution moves but its filters.
double others_moved(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const ConvShape& conv = *shape.conv;
  const auto input = static_cast<double>(conv.input_elements(conv.images, conv.rows, conv.columns, conv.channels));
  const double elements = t.load_b * input + static_cast<double>(shape.m * shape.n);
  return elements * static_cast<double>(limits.d_s) / (limits.mata_bw + limits.matb_bw);
}

// Core clocks of all tiles on the array, or of what is moved meanwhile, and of the loads of the filters.
double cycles(const Tiling& t, const GemmShape& shape, const TilingLimits& limits, std::int64_t count) {
  const ConvShape& conv = *shape.conv;
  const std::int64_t columns = std::min(t.tile_n, conv.columns);
  ArrayWork work{.m = t.tile_m, .n = t.tile_n / columns * columns, .k = t.partition_k};
  work.a_stationary = t.a_stationary, work.type = limits.array->type;
  work.kernel = conv.kernel();
  work.run = work.a_stationary ? columns : work.m;
  const double tiles = steps(shape.m, work.m) * steps(shape.n, work.n) * steps(shape.k, work.k);
  const MatmulSpec& spec = limits.array->matmul;
  const Cycles each = array_time(spec, abreast(work, conv, columns, count)).occupancy + spec.issue_cycles;
  const auto filters = static_cast<double>(shape.m * shape.k * limits.d_s);
  return std::max(tiles * static_cast<double>(each), others_moved(t, shape, limits)) +
         t.load_a * filters * static_cast<double>(count) / limits.mata_bw;
}

}  // namespace

bool may_be_abreast(const Tiling& t, const GemmShape& shape, std::int64_t count) {
  if (count == 1) return true;
  if (!shape.conv || shape.conv->together > 1) return false;
  const ConvShape& conv = *shape.conv;
  return (conv.kernel_w == 1 || conv.dilation_w == 1) && conv.columns % count == 0 &&
         cuts_evenly(t.partition_n, conv.columns, count) && cuts_evenly(t.tile_n, conv.columns, count);
}

std::int64_t shared_sum(const ConvShape& conv, std::int64_t k, std::int64_t count) {
  return k / conv.kernel_w * shared_window(conv, count);
}

std::int64_t best_abreast(const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits) {
  if (!limits.array || !shape.conv) return 1;
  const std::int64_t wide = std::max(limits.array->matmul.rows, limits.array->matmul.columns);
  std::int64_t best = 1;
  std::optional<double> least;  // once there is another number to compare with
  Tiling t = tiling;
  for (t.abreast = 2; t.abreast * t.tile_m <= wide; ++t.abreast) {
    if (!may_be_abreast(t, shape, t.abreast) || buffer_a_bytes(t, shape, limits) > limits.b_s1) continue;
    if (!least) least = cycles(t, shape, limits, 1);
    if (const double now = cycles(t, shape, limits, t.abreast); now < *least) least = now, best = t.abreast;
  }
  return best;
}

ArrayWork abreast(ArrayWork work, const ConvShape& conv, std::int64_t columns, std::int64_t count) {
  // One channel and one row of the kernel are a plain product.
  const bool plain = conv.kernel_h == 1 && work.k == conv.kernel();
  work.kernel = plain ? 1 : shared_sum(conv, conv.kernel(), count);
  work.k = shared_sum(conv, work.k, count);
  work.m *= count, work.n /= count;
  if (work.a_stationary) work.run = columns / count;
  return work;
}

Matmul abreast(Matmul one, const ConvShape& conv, std::int64_t count, Bytes copy) {
  if (count == 1) return one;
  const auto [element, row] = std::pair{one.c.column_stride[2], one.c.row_stride[2]};
  one.a.row_stride[1] = copy;
  one.c.row_stride = {0, element, row};
  one.m[1] = count;
  one.n[2] /= count;
  one.b.row_stride[2] = one.b.column_stride[2] / conv.stride_w;  // of a kernel of one column that is dilated, too
  one.b.column_stride[2] *= count;
  one.c.column_stride[2] *= count;
  one.k[2] = shared_window(conv, count);
  one.zeros = one.k[0] * one.k[1] * (one.k[2] - conv.kernel_w);
  return one;
}

}  // namespace tilewright
