#include "planner/estimate/tiling_bound.h"

#include <algorithm>
#include <limits>
#include <span>

#include "planner/estimate/part_bound.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

std::int64_t parts_of(std::int64_t wanted, std::int64_t most) { return std::min(wanted, most); }

// Input positions behind `whole` output positions cut into `pieces`, without what may be padding: where it is longer
// than a piece, more than the outermost two lie at the border.
std::int64_t input_read(std::int64_t whole, std::int64_t pieces, std::int64_t stride, std::int64_t extent,
                        std::int64_t pad) {
  const std::int64_t shortest = std::max<std::int64_t>(1, whole / pieces * stride);
  const std::int64_t at_border = pieces == 1 ? 1 : std::min(pieces, 2 * ceil_div(pad, shortest));
  return std::max<std::int64_t>(0, input_length(whole, pieces, stride, extent) - at_border * pad);
}

// Bytes of a convolution's input that its parts read in one pass of each.
double conv_input_bytes(const TilingProblem& p, const TilingPoint& point, const PartBound& smallest) {
  const ConvShape& c = *p.whole.conv;
  const std::int64_t high = (c.kernel_h - 1) * c.dilation_h + 1, wide = (c.kernel_w - 1) * c.dilation_w + 1;
  std::int64_t row_pieces = 1, column_pieces = 1;
  if (!p.shares_loads) {
    row_pieces = smallest.row_pieces() * parts_of(point.parts_n, p.n_parts);
    column_pieces = smallest.column_pieces();
  } else if (c.stride_h > high || c.stride_w > wide) {
    return 0;  // what lies between the windows of two parts need not be read
  }
  const std::int64_t rows = input_read(c.rows, row_pieces, c.stride_h, high, p.pad_h);
  const std::int64_t columns = input_read(c.columns, column_pieces, c.stride_w, wide, p.pad_w);
  return static_cast<double>(p.whole.batches * c.images * c.channels * rows * columns * p.limits.d_s);
}

struct Traffic {
  double read, written;
};

// Of all parts together, at DRAM.
Traffic dram_traffic(const TilingProblem& p, const TilingPoint& point, const PartBound& smallest) {
  const GemmShape& s = p.whole;
  const auto batches = static_cast<double>(s.batches), d_s = static_cast<double>(p.limits.d_s);
  const double a = (p.a_batched ? batches : 1) * static_cast<double>(s.m) * static_cast<double>(s.k) * d_s;
  double b = (p.b_batched ? batches : 1) * static_cast<double>(stored_b_bytes(s.n, s.k, p.limits));
  if (s.conv) b = conv_input_bytes(p, point, smallest);
  const double c =
      batches * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(p.result_element);
  if (p.shares_loads) return {a + b, c};
  double read_a = static_cast<double>(parts_of(point.parts_n, p.n_parts)) * smallest.load_a();
  double read_b = static_cast<double>(parts_of(point.parts_m, p.m_parts)) * smallest.load_b();
  // The parts of a convolution share its weights over images, those of one group its input.
  if (s.conv) read_a *= static_cast<double>(parts_of(point.parts_batch, p.batch_parts));
  if (s.conv && s.batches > 1) read_b = smallest.load_b();
  return {a * read_a + b * read_b, c};
}

GemmShape part_of(const TilingProblem& p, const TilingPoint& point, bool largest) {
  auto cut = [largest](std::int64_t whole, std::int64_t parts) {
    return largest ? ceil_div(whole, parts) : whole / parts;
  };
  GemmShape s = p.whole;
  const std::int64_t batch = parts_of(point.parts_batch, p.batch_parts), m = parts_of(point.parts_m, p.m_parts);
  const std::int64_t n = parts_of(point.parts_n, p.n_parts);
  if (!s.conv) {
    s.batches = cut(p.batch_parts, batch) * (s.batches / p.batch_parts);
    s.m = cut(s.m, m), s.n = cut(s.n, n);
    return s;
  }
  s.conv->images = cut(s.conv->images, batch);
  s.conv->rows = cut(s.conv->rows, n);
  s.n = s.conv->images * s.conv->rows * s.conv->columns;
  (s.batches > 1 ? s.batches : s.m) = cut(s.batches > 1 ? s.batches : s.m, m);
  return s;
}

}  // namespace

GemmShape largest_part(const TilingProblem& problem, const TilingPoint& point) { return part_of(problem, point, true); }

GemmShape smallest_part(const TilingProblem& problem, const TilingPoint& point) {
  return part_of(problem, point, false);
}

TilingBound tiling_bound(const TilingProblem& p, const TilingPoint& point) {
  const GemmShape large = largest_part(p, point), small = smallest_part(p, point);
  const Traffic traffic = dram_traffic(p, point, PartBound(p, p.core, point, small));
  const double bytes = traffic.read + traffic.written;
  const std::int64_t parts = parts_of(point.parts_batch, p.batch_parts) * parts_of(point.parts_m, p.m_parts) *
                             parts_of(point.parts_n, p.n_parts);
  const double clusters = static_cast<double>(ceil_div<std::int64_t>(parts, p.cores_per_cluster));
  const double dram = bytes / p.dram_bytes_per_cycle;
  const double network =
      p.shares_loads ? 0 : std::max(traffic.read, traffic.written) / clusters / p.cluster_bytes_per_cycle;
  TilingBound bound{.cycles = std::numeric_limits<double>::infinity(), .dram_bytes = bytes};
  bound.memory = std::max(dram, network);
  for (const CoreSpec& core : p.kinds.empty() ? std::span(&p.core, 1) : std::span(p.kinds)) {
    const PartBound::Times t = PartBound(p, core, point, large).times();
    const double longest = std::max({t.array, t.port, t.loads, t.stores, t.vector, dram, network});
    if (core.control.launch_cycles + longest >= bound.cycles) continue;
    bound.cycles = core.control.launch_cycles + longest;
    bound.array = t.array;
    bound.work = t.array + t.port + t.loads + t.stores + t.vector + dram + network;
  }
  bound.energy_pj = bound.cycles * p.static_pj_per_cycle + traffic.read * p.read_pj_per_byte +
                    traffic.written * p.write_pj_per_byte + p.macs_pj;
  return bound;
}

double value_of(const TilingBound& bound, Objective objective) {
  switch (objective) {
    case Objective::kCycles:
      return bound.cycles;
    case Objective::kEnergy:
      return bound.energy_pj;
    case Objective::kEdp:
      return bound.cycles * bound.energy_pj;
  }
  SIM_CHECK(false, "objective {}", static_cast<int>(objective));
}

}  // namespace tilewright
