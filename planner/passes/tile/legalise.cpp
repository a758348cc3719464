// From the formulas' figures to a tiling that fits: integers, blocks, copies, halos and the accumulate buffer.
#include <fmt/format.h>

#include <algorithm>

#include "planner/passes/tile/closed_form.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// The largest box of output positions that cut_columns() of a convolution makes of `count` positions.
Bytes conv_b_bytes(const ConvShape& conv, std::int64_t count, std::int64_t partition_k, Bytes d_s) {
  const std::int64_t channels = ceil_div(partition_k, conv.kernel());
  const std::int64_t image = conv.rows * conv.columns;
  const std::int64_t group = std::clamp<std::int64_t>(conv.together, 1, conv.images);
  if (count >= group * image)
    return d_s * conv.input_elements(std::min(count / (group * image) * group, conv.images), conv.rows, conv.columns,
                                     channels);
  const std::int64_t images = std::min(group, count), each = std::max<std::int64_t>(1, count / images);
  if (each < conv.columns) return d_s * conv.input_elements(images, 1, each, channels);
  return d_s * conv.input_elements(images, std::min(each / conv.columns, conv.rows), conv.columns, channels);
}

Bytes partition_b_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  if (shape.conv) return conv_b_bytes(*shape.conv, t.partition_n, t.partition_k, limits.d_s);
  return t.partition_n * t.partition_k * limits.d_s;
}

Bytes epilogue_bytes(const Tiling& t, const TilingLimits& limits) {
  return limits.buffering * (t.tile_m * limits.acc_bytes_per_row + t.tile_n * limits.acc_bytes_per_column);
}

// A smaller value of a step: whole blocks as long as there is more than one, then halves.
std::int64_t smaller_step(std::int64_t value, std::int64_t block) {
  if (value > block) return (value - 1) / block * block;
  return std::max<std::int64_t>(1, value / 2);
}

std::int64_t smaller_k(const Tiling& t, const GemmShape& shape) {
  const std::int64_t kernel = shape.conv ? shape.conv->kernel() : 1;
  return std::max<std::int64_t>(1, t.partition_k / kernel / 2) * kernel;
}

bool k_can_shrink(const Tiling& t, const GemmShape& shape) {
  return t.partition_k > (shape.conv ? shape.conv->kernel() : 1);
}

// One way of making a partition smaller; false when it is already as small as it can be. A step above one block gives
// way before K, K before a step below one block.
bool shrink_partition(std::int64_t& step, std::int64_t block, Tiling& t, const GemmShape& shape) {
  if (step > block) {
    step = smaller_step(step, block);
  } else if (k_can_shrink(t, shape)) {
    t.partition_k = smaller_k(t, shape);
  } else if (step > 1) {
    step = smaller_step(step, block);
  } else {
    return false;
  }
  t.need_splitk = t.use_acc_buffer = t.partition_k < shape.k;
  return true;
}

[[noreturn]] void does_not_fit(const char* memory, Bytes have, Bytes need, const GemmShape& shape) {
  throw UserError("", fmt::format("a product of {}x{}x{} (m, k, n) cannot be tiled: {} has {} bytes, the smallest tile "
                                  "needs {}",
                                  shape.m, shape.k, shape.n, memory, have, need));
}

void clamp_tile(Tiling& t) {
  t.tile_m = std::min(t.tile_m, t.partition_m);
  t.tile_n = std::min(t.tile_n, t.partition_n);
}

bool halve_larger(std::int64_t& m, std::int64_t& n, const TilingLimits& limits) {
  if (m == 1 && n == 1) return false;
  if (n == 1 || (m > 1 && m * limits.block_size_n >= n * limits.block_size_m))
    m = smaller_step(m, std::max<std::int64_t>(1, limits.block_size_m));
  else
    n = smaller_step(n, std::max<std::int64_t>(1, limits.block_size_n));
  return true;
}

void fit_buffers(Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  while (buffer_a_bytes(t, shape, limits) > limits.b_s1)
    if (!shrink_partition(t.partition_m, limits.block_size_m, t, shape))
      does_not_fit("buffer A", limits.b_s1, buffer_a_bytes(t, shape, limits), shape);
  while (buffer_b_bytes(t, shape, limits) > limits.b_s2)
    if (!shrink_partition(t.partition_n, limits.block_size_n, t, shape))
      does_not_fit("buffer B", limits.b_s2, buffer_b_bytes(t, shape, limits), shape);
  clamp_tile(t);
}

void fit_accumulator(Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  std::int64_t& m = t.need_splitk ? t.partition_m : t.tile_m;
  std::int64_t& n = t.need_splitk ? t.partition_n : t.tile_n;
  while (accumulator_bytes(t, shape, limits) > limits.acc_buffer_max) {
    if (!halve_larger(m, n, limits))
      does_not_fit("the accumulate buffer", limits.acc_buffer_max, accumulator_bytes(t, shape, limits), shape);
    clamp_tile(t);
  }
}

std::int64_t round_partition(std::int64_t value, std::int64_t block, std::int64_t whole) {
  value = std::clamp<std::int64_t>(value, 1, whole);
  return value < whole && value > block ? value / block * block : value;
}

// Steps of K that are as even as the number of them allows.
void even_k(Tiling& t, const GemmShape& shape) {
  const std::int64_t kernel = shape.conv ? shape.conv->kernel() : 1;
  const std::int64_t steps = ceil_div(shape.k, t.partition_k);
  t.partition_k = std::min(t.partition_k, round_up(ceil_div(shape.k, steps), kernel));
}

}  // namespace

int copies_of_a(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const bool once = t.partition_m >= shape.m && t.partition_k >= shape.k && shape.batches == 1;
  return once ? 1 : limits.buffering;
}

int copies_of_b(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const bool once = t.partition_n >= shape.n && t.partition_k >= shape.k && shape.batches == 1;
  return once ? 1 : limits.buffering;
}

Bytes buffer_a_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  return copies_of_a(t, shape, limits) * t.partition_m * t.partition_k * limits.d_s;
}

Bytes buffer_b_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  return copies_of_b(t, shape, limits) * partition_b_bytes(t, shape, limits);
}

Bytes accumulator_bytes(const Tiling& t, const GemmShape&, const TilingLimits& limits) {
  const Bytes results = t.need_splitk ? t.partition_m * t.partition_n : limits.buffering * t.tile_m * t.tile_n;
  return results * limits.acc_element + epilogue_bytes(t, limits);
}

OperandReads operand_reads(const Tiling& t, const GemmShape& shape, const TilingLimits& limits, std::int64_t m_steps,
                           std::int64_t n_steps) {
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  };
  // Of `steps` passes over a matrix all but the first find in the buffers what the one before left there.
  const auto reads = [](std::int64_t steps, double kept) {
    return static_cast<double>(steps) - static_cast<double>(steps - 1) * std::min(1.0, kept);
  };
  // Of the operand whose partitions change fastest all must fit, unless they are turned through.
  const auto round = [&](double kept) { return t.need_splitk || kept >= 1 ? kept : 0; };
  const double k = share(t.partition_k, shape.k);
  const double a = copies_of_a(t, shape, limits) * k, b = copies_of_b(t, shape, limits) * k;
  const bool m_outside = t.outer_rowmajor;
  return {reads(n_steps, m_outside ? a : round(a * share(t.partition_m, shape.m))),
          reads(m_steps, m_outside ? round(b * share(t.partition_n, shape.n)) : b)};
}

void derive(Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  t.need_splitk = t.use_acc_buffer = t.partition_k < shape.k;
  t.acc_buffer_needed = accumulator_bytes(t, shape, limits);
  const OperandReads reads =
      operand_reads(t, shape, limits, ceil_div(shape.m, t.partition_m), ceil_div(shape.n, t.partition_n));
  t.load_a = reads.a, t.load_b = reads.b;
}

std::string check_tiling(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  auto outside = [](std::int64_t value, std::int64_t most) { return value < 1 || value > most; };
  if (outside(t.partition_m, shape.m)) return fmt::format("partition_m {} is not in 1..{}", t.partition_m, shape.m);
  if (outside(t.partition_n, shape.n)) return fmt::format("partition_n {} is not in 1..{}", t.partition_n, shape.n);
  if (outside(t.partition_k, shape.k)) return fmt::format("partition_k {} is not in 1..{}", t.partition_k, shape.k);
  if (outside(t.tile_m, t.partition_m)) return fmt::format("tile_m {} is not in 1..{}", t.tile_m, t.partition_m);
  if (outside(t.tile_n, t.partition_n)) return fmt::format("tile_n {} is not in 1..{}", t.tile_n, t.partition_n);
  if (shape.conv && t.partition_k % shape.conv->kernel() != 0)
    return fmt::format("partition_k {} is no multiple of the kernel's {}", t.partition_k, shape.conv->kernel());
  if (t.need_splitk != (t.partition_k < shape.k)) return "need_splitk does not agree with partition_k";
  const Bytes a = buffer_a_bytes(t, shape, limits), b = buffer_b_bytes(t, shape, limits);
  const Bytes acc = accumulator_bytes(t, shape, limits);
  if (a > limits.b_s1) return fmt::format("buffer A holds {} bytes, the tiling needs {}", limits.b_s1, a);
  if (b > limits.b_s2) return fmt::format("buffer B holds {} bytes, the tiling needs {}", limits.b_s2, b);
  if (acc > limits.acc_buffer_max)
    return fmt::format("the accumulate buffer holds {} bytes, the tiling needs {}", limits.acc_buffer_max, acc);
  return {};
}

Tiling legalise(Tiling t, const GemmShape& shape, const TilingLimits& limits) {
  const Tiling wanted = t;
  const std::int64_t kernel = shape.conv ? shape.conv->kernel() : 1;
  t.partition_m = round_partition(t.partition_m, limits.block_size_m, shape.m);
  t.partition_n = round_partition(t.partition_n, limits.block_size_n, shape.n);
  t.partition_k = std::clamp<std::int64_t>(t.partition_k / kernel * kernel, kernel, shape.k);
  t.need_splitk = t.use_acc_buffer = t.partition_k < shape.k;
  t.tile_m = std::max<std::int64_t>(1, t.tile_m), t.tile_n = std::max<std::int64_t>(1, t.tile_n);
  clamp_tile(t);
  fit_buffers(t, shape, limits);
  even_k(t, shape);
  fit_accumulator(t, shape, limits);
  derive(t, shape, limits);
  if (t.partition_m != wanted.partition_m || t.partition_n != wanted.partition_n ||
      t.partition_k != wanted.partition_k || t.tile_m != wanted.tile_m || t.tile_n != wanted.tile_n)
    t.reason += fmt::format("; made legal from {}x{}x{} tiles {}x{}", wanted.partition_m, wanted.partition_k,
                            wanted.partition_n, wanted.tile_m, wanted.tile_n);
  const std::string fault = check_tiling(t, shape, limits);
  SIM_CHECK(fault.empty(), "legalise made an illegal tiling: {}", fault);
  return t;
}

}  // namespace tilewright
