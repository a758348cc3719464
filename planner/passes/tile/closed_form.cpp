// The formulas of the tiling method: case 1 (one matrix resident), case 2 (neither), split-K, inner tiles.
#include "planner/passes/tile/closed_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "planner/constants/constants.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// The method's quantities as reals, named as in its text.
struct Quantities {
  const GemmShape& shape;
  const TilingLimits& limits;
  double m, n, k;
  double a_row_bytes;     // k * d_s
  double b_column_bytes;  // k * d_s; for a convolution the input bytes behind one output position
  double mata_size, matb_size, gemm_cycle, load_buffera_cycle, load_bufferb_cycle;
  double b_s1, b_s2;  // capacity of one copy

  Quantities(const GemmShape& s, const TilingLimits& l) : shape(s), limits(l) {
    m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
    const double d_s = static_cast<double>(l.d_s);
    a_row_bytes = k * d_s;
    b_column_bytes = s.conv ? input_bytes_per_column(*s.conv, d_s) : k * d_s;
    mata_size = m * a_row_bytes;
    matb_size = n * b_column_bytes;
    gemm_cycle = m * k * n * d_s / l.hw_power;
    load_buffera_cycle = mata_size / l.mata_bw;
    load_bufferb_cycle = matb_size / l.matb_bw;
    b_s1 = static_cast<double>(l.b_s1) / l.buffering;
    b_s2 = static_cast<double>(l.b_s2) / l.buffering;
  }

  double input_bytes_per_column(const ConvShape& conv, double d_s) const {
    const auto elements = conv.input_elements(conv.images, conv.rows, conv.columns, conv.channels);
    return static_cast<double>(elements) * d_s / n;
  }
};

double at_most_one(double value) { return std::min(1.0, value); }

std::int64_t floor_to(double value, std::int64_t most) {
  if (value >= static_cast<double>(most)) return most;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(value));
}

// A matrix that stays for the whole run needs one copy, unless further batches follow.
double resident_capacity(Bytes capacity, const Quantities& q) {
  return static_cast<double>(capacity) / (q.shape.batches > 1 ? q.limits.buffering : 1);
}

Tiling resident_a(const Quantities& q) {
  Tiling t;
  t.partition_m = q.shape.m;
  t.partition_n = floor_to(q.b_s2 / q.b_column_bytes, q.shape.n);
  t.partition_k = q.shape.k;
  t.outer_rowmajor = true;
  t.reason = "case 1, A resident";
  return t;
}

Tiling resident_b(const Quantities& q) {
  Tiling t;
  t.partition_n = q.shape.n;
  t.partition_m = floor_to(q.b_s1 / q.a_row_bytes, q.shape.m);
  t.partition_k = q.shape.k;
  t.outer_rowmajor = false;
  t.reason = "case 1, B resident";
  return t;
}

// Case 1; nothing when neither matrix can stay while the other streams past it.
std::optional<Tiling> case_one(const Quantities& q) {
  const bool a_stays = q.mata_size <= resident_capacity(q.limits.b_s1, q) && q.b_s2 >= q.b_column_bytes;
  const bool b_stays = q.matb_size <= resident_capacity(q.limits.b_s2, q) && q.b_s1 >= q.a_row_bytes;
  if (!a_stays && !b_stays) return std::nullopt;
  const bool keep_a = q.m < q.n ? a_stays : !b_stays;
  Tiling t = keep_a ? resident_a(q) : resident_b(q);
  t.utilisation = at_most_one(std::min(q.n * q.limits.mata_bw, q.m * q.limits.matb_bw) / q.limits.hw_power);
  return t;
}

double utilisation_of(const Quantities& q, double load_a, double load_b) {
  return q.gemm_cycle / std::max({q.gemm_cycle, q.load_buffera_cycle * load_a, q.load_bufferb_cycle * load_b});
}

double utilisation_without_split(const Quantities& q) {
  return std::max(utilisation_of(q, std::max(1.0, q.matb_size / q.b_s2), 1),
                  utilisation_of(q, 1, std::max(1.0, q.mata_size / q.b_s1)));
}

struct Loads {
  std::int64_t a = 1, b = 1;
};

// load_a * load_b covers C in pieces of `acc_buffer`; load_a / load_b balances the two load times within
// constants().load_skew.
Loads loads_for(const Quantities& q, double acc_buffer) {
  const double parts = std::max(1.0, q.m * q.n * static_cast<double>(q.limits.acc_element) / acc_buffer);
  const double balanced = q.load_bufferb_cycle / q.load_buffera_cycle;  // GEMM: n * mata_bw / (m * matb_bw)
  Loads loads;
  loads.a = floor_to(std::round(std::sqrt(parts * balanced)), q.shape.n);
  loads.b = floor_to(std::ceil(parts / static_cast<double>(loads.a)), q.shape.m);
  auto skew = [&] { return static_cast<double>(loads.a) / static_cast<double>(loads.b) / balanced; };
  while (skew() > constants().load_skew && loads.a > 1 && 2 * loads.b <= q.shape.m)
    loads = {ceil_div<std::int64_t>(loads.a, 2), loads.b * 2};
  while (skew() < 1 / constants().load_skew && loads.b > 1 && 2 * loads.a <= q.shape.n)
    loads = {loads.a * 2, ceil_div<std::int64_t>(loads.b, 2)};
  return loads;
}

// The smallest accumulate buffer, by steps of `adjust`, that keeps `utilisation`.
double shrink_accumulator(const Quantities& q, double utilisation) {
  const double least = static_cast<double>(q.limits.acc_element * q.limits.block_size_m * q.limits.block_size_n);
  double acc_buffer = static_cast<double>(q.limits.acc_buffer_max);
  for (;;) {
    const double smaller = acc_buffer * q.limits.adjust;
    if (smaller < least) return acc_buffer;
    const Loads loads = loads_for(q, smaller);
    if (utilisation_of(q, static_cast<double>(loads.a), static_cast<double>(loads.b)) < utilisation) return acc_buffer;
    acc_buffer = smaller;
  }
}

Tiling with_split(const Quantities& q, double acc_buffer) {
  const Loads loads = loads_for(q, acc_buffer);
  Tiling t;
  t.load_a = loads.a, t.load_b = loads.b;
  t.partition_m = ceil_div(q.shape.m, loads.b);
  t.partition_n = ceil_div(q.shape.n, loads.a);
  const double rows = static_cast<double>(t.partition_m * q.limits.d_s);
  const double columns = static_cast<double>(t.partition_n) * q.b_column_bytes / q.k;
  t.partition_k = floor_to(std::min(q.b_s1 / rows, q.b_s2 / columns), q.shape.k);
  t.need_splitk = t.use_acc_buffer = true;
  t.acc_buffer_needed = static_cast<Bytes>(acc_buffer);
  t.utilisation = utilisation_of(q, static_cast<double>(loads.a), static_cast<double>(loads.b));
  t.reason = "case 2, split-K";
  return t;
}

Tiling without_split(const Quantities& q) {
  const TilingLimits& limits = q.limits;
  Tiling t;
  t.partition_k = q.shape.k;
  t.partition_m = floor_to(q.b_s1 / q.a_row_bytes, q.shape.m);
  t.partition_n = floor_to(q.b_s2 / q.b_column_bytes, q.shape.n);
  t.outer_rowmajor = limits.mata_bw < limits.matb_bw;
  if (t.outer_rowmajor) {
    t.load_b = ceil_div(q.shape.m, t.partition_m);
    t.utilisation = std::min(q.n * limits.mata_bw, q.m * limits.matb_bw / static_cast<double>(t.load_b));
  } else {
    t.load_a = ceil_div(q.shape.n, t.partition_n);
    t.utilisation = std::min(q.n * limits.mata_bw / static_cast<double>(t.load_a), q.m * limits.matb_bw);
  }
  t.utilisation = at_most_one(t.utilisation / limits.hw_power);
  t.reason = "case 2, no split-K";
  return t;
}

double bytes_loaded(const Quantities& q, const Tiling& t) {
  return static_cast<double>(t.load_a) * q.mata_size + static_cast<double>(t.load_b) * q.matb_size;
}

Tiling case_two(const Quantities& q) {
  const Loads first = loads_for(q, static_cast<double>(q.limits.acc_buffer_max));
  const double util_splitk = utilisation_of(q, static_cast<double>(first.a), static_cast<double>(first.b));
  const bool too_long = q.b_s1 < q.a_row_bytes || q.b_s2 < q.b_column_bytes;
  const double util_nosplitk = utilisation_without_split(q);
  Tiling t = with_split(q, shrink_accumulator(q, util_splitk));
  if (!too_long && util_nosplitk >= util_splitk) {
    // Of two equal utilisations the one that loads less: the method sees A and B on ways of their own, which in this
    // machine they share.
    const Tiling plain = without_split(q);
    if (util_nosplitk > util_splitk || bytes_loaded(q, plain) <= bytes_loaded(q, t)) return plain;
  }
  if (too_long) t.reason += ", forced by the length of K";
  return t;
}

void set_inner_tiles(Tiling& t, const TilingLimits& limits) {
  const std::int64_t block_num_m = std::max<std::int64_t>(1, t.partition_m / limits.block_size_m);
  const std::int64_t sync_blocks = std::max<std::int64_t>(1, limits.sync_granularity / (2 * limits.d_s));
  const std::int64_t tile_m_block = std::min(sync_blocks, block_num_m);
  const std::int64_t tile_n_block = std::max<std::int64_t>(1, sync_blocks / tile_m_block);
  t.tile_m = std::min(tile_m_block * limits.block_size_m, t.partition_m);
  t.tile_n = std::min(tile_n_block * limits.block_size_n, t.partition_n);
}

}  // namespace

Tiling tiling_formulas(const GemmShape& shape, const TilingLimits& limits) {
  SIM_CHECK(shape.m > 0 && shape.n > 0 && shape.k > 0, "empty product {} x {} x {}", shape.m, shape.n, shape.k);
  const Quantities q(shape, limits);
  Tiling t = case_one(q).value_or(Tiling{});
  if (t.partition_m == 0) t = case_two(q);
  set_inner_tiles(t, limits);
  return t;
}

Tiling closed_form(const GemmShape& shape, const TilingLimits& limits) {
  return legalise(tiling_formulas(shape, limits), shape, limits);
}

}  // namespace tilewright
