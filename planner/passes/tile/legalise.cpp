// From the formulas' figures to a tiling that fits: integers, blocks, copies, halos and the accumulate buffer.
#include <fmt/format.h>

#include <algorithm>

#include "planner/passes/tile/closed_form.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

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

void fit_buffer_a(Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  while (buffer_a_bytes(t, shape, limits) > limits.b_s1)
    if (!shrink_partition(t.partition_m, limits.block_size_m, t, shape))
      does_not_fit("buffer A", limits.b_s1, buffer_a_bytes(t, shape, limits), shape);
}

void fit_buffers(Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  fit_buffer_a(t, shape, limits);
  while (buffer_b_bytes(t, shape, limits) > limits.b_s2)
    if (!shrink_partition(t.partition_n, limits.block_size_n, t, shape))
      does_not_fit("buffer B", limits.b_s2, buffer_b_bytes(t, shape, limits), shape);
  fit_buffer_a(t, shape, limits);  // where B had K cut, A is held in several copies
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
