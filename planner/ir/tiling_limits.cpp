#include "planner/ir/tiling_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/ir/abreast.h"
#include "planner/ir/spill.h"

namespace tilewright {
namespace {

constexpr Bytes kPlaceAlignment = 4;  // of the widest element

Bytes conv_b_bytes(const GemmShape& shape, std::int64_t count, std::int64_t partition_k, Bytes d_s) {
  const ConvShape& conv = *shape.conv;
  const ColumnBox box = box_of(columns_of(shape), count, conv.together);
  return d_s * conv.input_elements(box.images, box.rows, box.columns, ceil_div(partition_k, conv.kernel()));
}

}  // namespace

Bytes epilogue_bytes(const Tiling& t, const TilingLimits& limits) {
  return limits.buffering * (t.tile_m * limits.acc_bytes_per_row + t.tile_n * limits.acc_bytes_per_column +
                             t.tile_m * t.tile_n * limits.acc_bytes_per_element);
}

int copies_of_a(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const bool once = t.partition_m >= shape.m && t.partition_k >= shape.k && shape.batches == 1;
  return once ? 1 : limits.buffering;
}

int copies_of_b(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const bool once = t.partition_n >= shape.n && t.partition_k >= shape.k && shape.batches == 1;
  return once ? 1 : limits.buffering;
}

Bytes rows_of_a_bytes(std::int64_t rows, const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const std::int64_t deep = shape.conv ? shared_sum(*shape.conv, t.partition_k, t.abreast) : t.partition_k;
  return t.abreast * rows * deep * limits.d_s;
}

Bytes factor_places_at(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  return round_up(copies_of_a(t, shape, limits) * rows_of_a_bytes(t.partition_m, t, shape, limits), kPlaceAlignment);
}

Bytes factor_place_bytes(std::int64_t partition_k, const GemmShape& shape, const TilingLimits& limits) {
  if (limits.factor == 0) return 0;
  return round_up(ceil_div(partition_k, shape.conv->kernel()) * limits.factor, kPlaceAlignment);
}

Bytes buffer_a_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  if (limits.factor > 0)
    return factor_places_at(t, shape, limits) + limits.buffering * factor_place_bytes(t.partition_k, shape, limits);
  return copies_of_a(t, shape, limits) * rows_of_a_bytes(t.partition_m, t, shape, limits);
}

Bytes partition_b_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  if (shape.conv) return conv_b_bytes(shape, t.partition_n, t.partition_k, limits.d_s);
  return t.partition_n * t.partition_k * limits.d_s;
}

Bytes packed_places_at(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  return round_up(copies_of_b(t, shape, limits) * partition_b_bytes(t, shape, limits), kPlaceAlignment);
}

Bytes packed_place_bytes(const Tiling& t, const TilingLimits& limits) {
  return limits.packed ? limits.packed->place(t.tile_n, t.partition_k) : 0;
}

Bytes stored_b_bytes(std::int64_t columns, std::int64_t depth, const TilingLimits& limits) {
  return limits.packed ? limits.packed->bytes(columns, depth) : columns * depth * limits.d_s;
}

Bytes buffer_b_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  if (limits.packed) return packed_places_at(t, shape, limits) + limits.buffering * packed_place_bytes(t, limits);
  return copies_of_b(t, shape, limits) * partition_b_bytes(t, shape, limits);
}

namespace {

Bytes result_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const Bytes beside = epilogue_bytes(t, limits);
  if (const auto spill = spill_of(t, shape, limits)) return spill->in_accumulator() + beside;
  const Bytes results = t.need_splitk ? t.partition_m * t.partition_n : limits.buffering * t.tile_m * t.tile_n;
  return results * limits.acc_element + beside;
}

}  // namespace

Bytes row_results_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const Bytes rows = t.partition_n < shape.n ? 0 : t.partition_m * limits.row_results;
  if (rows == 0) return 0;
  return result_bytes(t, shape, limits) + limits.buffering * rows > limits.acc_buffer_max ? 0 : rows;
}

Bytes accumulator_bytes(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  return result_bytes(t, shape, limits) + limits.buffering * row_results_bytes(t, shape, limits);
}

namespace {

// What part of a dimension one partition of it is.
struct Shares {
  double m, n, k;
};

OperandReads reads_with(const Shares& part, const Tiling& t, const GemmShape& shape, const TilingLimits& limits,
                        std::int64_t m_steps, std::int64_t n_steps) {
  // Of `steps` passes over a matrix all but the first find in the buffers what the one before left there.
  const auto reads = [](std::int64_t steps, double kept) {
    return static_cast<double>(steps) - static_cast<double>(steps - 1) * std::min(1.0, kept);
  };
  // Of the operand whose partitions change fastest all must fit, unless their order alternates.
  const auto round = [&](double kept) { return t.need_splitk || kept >= 1 ? kept : 0; };
  const double a = copies_of_a(t, shape, limits) * part.k, b = copies_of_b(t, shape, limits) * part.k;
  const bool m_outside = t.outer_rowmajor;
  return {reads(n_steps, m_outside ? a : round(a * part.m)), reads(m_steps, m_outside ? round(b * part.n) : b)};
}

double share(std::int64_t part, std::int64_t whole) {
  return std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

OperandReads operand_reads(const Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  const auto steps = [](std::int64_t whole, std::int64_t part) { return ceil_div(whole, part); };
  const std::int64_t m = steps(shape.m, t.partition_m), n = steps(shape.n, t.partition_n);
  return reads_with({share(1, m), share(1, n), share(1, steps(shape.k, t.partition_k))}, t, shape, limits, m, n);
}

OperandReads least_operand_reads(const Tiling& t, const GemmShape& shape, const TilingLimits& limits,
                                 std::int64_t m_steps, std::int64_t n_steps) {
  return reads_with({share(t.partition_m, shape.m), share(t.partition_n, shape.n), share(t.partition_k, shape.k)}, t,
                    shape, limits, m_steps, n_steps);
}

void derive(Tiling& t, const GemmShape& shape, const TilingLimits& limits) {
  t.need_splitk = t.use_acc_buffer = t.partition_k < shape.k;
  const OperandReads reads = operand_reads(t, shape, limits);
  t.load_a = reads.a, t.load_b = reads.b;
  t.abreast = best_abreast(t, shape, limits);
  t.acc_buffer_needed = accumulator_bytes(t, shape, limits);
  t.spilled = spilled_bytes(t, shape, limits);
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
  if (t.abreast < 1 || !may_be_abreast(t, shape, t.abreast))
    return fmt::format("{} output columns cannot be computed abreast", t.abreast);
  const Bytes a = buffer_a_bytes(t, shape, limits), b = buffer_b_bytes(t, shape, limits);
  const Bytes acc = accumulator_bytes(t, shape, limits);
  if (a > limits.b_s1) return fmt::format("buffer A holds {} bytes, the tiling needs {}", limits.b_s1, a);
  if (b > limits.b_s2) return fmt::format("buffer B holds {} bytes, the tiling needs {}", limits.b_s2, b);
  if (acc > limits.acc_buffer_max)
    return fmt::format("the accumulate buffer holds {} bytes, the tiling needs {}", limits.acc_buffer_max, acc);
  return {};
}

}  // namespace tilewright
