#include "planner/cost/tiling_bound.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/hw/matmul_timing.h"

namespace tilewright {
namespace {

// Sizes that a dimension falls into when it is cut into steps and each step into tiles: at most three.
struct Cut {
  int kinds = 0;
  std::int64_t size[3] = {}, times[3] = {};
  std::int64_t pieces = 0, smallest = 0;

  void add(std::int64_t piece, std::int64_t count) {
    if (piece == 0 || count == 0) return;
    size[kinds] = piece, times[kinds++] = count;
    pieces += count;
    smallest = smallest == 0 ? piece : std::min(smallest, piece);
  }
};

Cut cut_twice(std::int64_t whole, std::int64_t step, std::int64_t tile) {
  const std::int64_t steps = whole / step, rest = whole % step;
  Cut cut;
  cut.add(tile, steps * (step / tile) + rest / tile);
  cut.add(step % tile, steps);
  cut.add(rest % tile, 1);
  return cut;
}

// Images, rows and columns of a box of at most `at_most` result columns (cut_columns() in passes/contraction.h).
struct ColumnBox {
  std::int64_t images = 1, rows = 1, columns = 1;
};

ColumnBox columns_of(const GemmShape& s) {
  if (!s.conv) return {1, 1, s.n};
  return {s.conv->images, s.conv->rows, s.conv->columns};
}

ColumnBox box_of(const ColumnBox& whole, std::int64_t at_most) {
  const std::int64_t image = whole.rows * whole.columns;
  if (at_most >= image) return {std::min(whole.images, at_most / image), whole.rows, whole.columns};
  if (at_most >= whole.columns) return {1, at_most / whole.columns, whole.columns};
  return {1, 1, at_most};
}

std::int64_t boxes_in(const ColumnBox& whole, const ColumnBox& box) {
  return ceil_div(whole.images, box.images) * ceil_div(whole.rows, box.rows) * ceil_div(whole.columns, box.columns);
}

// Length of the input behind `whole` output positions that are cut into `pieces`, padding included.
std::int64_t input_length(std::int64_t whole, std::int64_t pieces, std::int64_t stride, std::int64_t extent) {
  return (whole - pieces) * stride + pieces * extent;
}

class PointBound {
 public:
  PointBound(const TilingProblem& problem, const TilingPoint& point, const GemmShape& shape)
      : problem_(problem),
        shape_(shape),
        partition_m_(std::min(point.partition_m, shape.m)),
        partition_n_(std::min(point.partition_n, shape.n)),
        partition_k_(std::min(point.partition_k, shape.k)),
        tile_m_(std::min(point.tile_m, partition_m_)),
        tile_n_(std::min(point.tile_n, partition_n_)),
        a_stationary_(point.a_stationary),
        all_(columns_of(shape)),
        step_(box_of(all_, partition_n_)),
        tile_(box_of(step_, tile_n_)),
        m_(cut_twice(shape.m, partition_m_, tile_m_)),
        k_(cut_twice(shape.k, partition_k_, partition_k_)),
        images_(cut_twice(all_.images, step_.images, tile_.images)),
        rows_(cut_twice(all_.rows, step_.rows, tile_.rows)),
        columns_(cut_twice(all_.columns, step_.columns, tile_.columns)) {
    n_steps_ = boxes_in(all_, step_);
    m_steps_ = ceil_div(shape.m, partition_m_);
    n_tiles_ = images_.pieces * rows_.pieces * columns_.pieces;
    const bool whole = tile_m_ == shape.m && n_tiles_ == 1 && partition_k_ == shape.k;
    groups_ = whole ? std::min<std::int64_t>(shape.batches, 4) : shape.batches;
    count_loads(point.outer_rowmajor);
  }

  std::int64_t load_a() const { return load_a_; }
  std::int64_t load_b() const { return load_b_; }
  std::int64_t row_pieces() const { return ceil_div(all_.rows, step_.rows); }
  std::int64_t column_pieces() const { return ceil_div(all_.columns, step_.columns); }

  struct Times {
    double array, port, loads, stores, vector;
  };

  Times times() const {
    const CoreSpec& core = problem_.core;
    const double set_up = core.dau.setup_cycles, port = static_cast<double>(core.dau.buffer_bytes_per_cycle);
    const double results = static_cast<double>(shape_.batches * shape_.m * shape_.n);
    const double stored = results * static_cast<double>(problem_.result_element);
    const double loaded_a = times_loaded(problem_.a_batched) * static_cast<double>(load_a_) * bytes_a();
    const double loaded_b = times_loaded(problem_.b_batched) * static_cast<double>(load_b_) * bytes_b();
    const double requests = static_cast<double>(problem_.largest_request * core.dau.requests_per_cycle);
    const double tiles = static_cast<double>(groups_ * m_.pieces * n_tiles_);
    Times t;
    t.array = array_cycles() + first_load() / port + set_up + last_result();
    t.port = (loaded_a + loaded_b + stored) / port + set_up;
    t.loads = load_count() * set_up + (loaded_a + (padded() ? 0 : loaded_b)) / requests;
    t.stores = tiles * set_up + stored / requests;
    t.vector =
        problem_.vector_instructions * (tiles * core.vector.issue_cycles + results * passes() / core.vector.lanes);
    return t;
  }

 private:
  // A matrix stays while the steps that come back to it touch no more areas than there are copies.
  void count_loads(bool outer_rowmajor) {
    Tiling t;
    t.partition_m = partition_m_, t.partition_n = partition_n_, t.partition_k = partition_k_;
    const std::int64_t k = k_.pieces;
    const std::int64_t cycle_a = outer_rowmajor ? k : k * m_steps_, cycle_b = outer_rowmajor ? k * n_steps_ : k;
    load_a_ = cycle_a <= copies_of_a(t, shape_, problem_.limits) ? 1 : n_steps_;
    load_b_ = cycle_b <= copies_of_b(t, shape_, problem_.limits) ? 1 : m_steps_;
  }

  double passes() const {
    const VectorSpec& v = problem_.core.vector;
    return std::min({v.simple_passes, v.transcendental_passes, v.divide_passes});
  }

  double bytes_a() const { return static_cast<double>(shape_.m * shape_.k * problem_.limits.d_s); }

  // One pass over operand B, padding included.
  double bytes_b() const {
    if (!shape_.conv) return static_cast<double>(shape_.n * shape_.k * problem_.limits.d_s);
    return static_cast<double>(input_elements(all_, row_pieces(), column_pieces()) * shape_.conv->channels *
                               problem_.limits.d_s);
  }

  std::int64_t input_elements(const ColumnBox& box, std::int64_t row_pieces, std::int64_t column_pieces) const {
    const ConvShape& c = *shape_.conv;
    const std::int64_t high = (c.kernel_h - 1) * c.dilation_h + 1, wide = (c.kernel_w - 1) * c.dilation_w + 1;
    return box.images * input_length(box.rows, row_pieces, c.stride_h, high) *
           input_length(box.columns, column_pieces, c.stride_w, wide);
  }

  // Padding passes the port but needs no request.
  bool padded() const { return problem_.pad_h > 0 || problem_.pad_w > 0; }
  double times_loaded(bool batched) const { return static_cast<double>(batched ? shape_.batches : groups_); }

  double load_count() const {
    return static_cast<double>(groups_ * k_.pieces * (m_.pieces * load_a_ + n_steps_ * load_b_));
  }

  // Bytes that must be there before the first matmul.
  double first_load() const {
    const std::int64_t deep = partition_k_ * problem_.limits.d_s;
    const std::int64_t a = tile_m_ * deep;
    if (!shape_.conv) return static_cast<double>(a + tile_n_ * deep);
    const std::int64_t channels = partition_k_ / shape_.conv->kernel();
    return static_cast<double>(a + input_elements(step_, 1, 1) * channels * problem_.limits.d_s);
  }

  double last_result() const {
    const CoreSpec& core = problem_.core;
    const auto results = static_cast<double>(m_.smallest * images_.smallest * rows_.smallest * columns_.smallest);
    const double vector = core.vector.issue_cycles + results * passes() / core.vector.lanes;
    return problem_.vector_instructions * vector + core.dau.setup_cycles +
           results * static_cast<double>(problem_.result_element) /
               static_cast<double>(core.dau.buffer_bytes_per_cycle);
  }

  // Every instruction's issue and occupancy, the first one's fill, the shortest drain.
  double array_cycles() const {
    Cycles busy = 0, drain = kNeverCycle, fill = 0;
    ArrayWork work{.a_stationary = a_stationary_, .type = problem_.type};
    for (int m = 0; m < m_.kinds; ++m)
      for (int k = 0; k < k_.kinds; ++k)
        for (int i = 0; i < images_.kinds; ++i)
          for (int r = 0; r < rows_.kinds; ++r)
            for (int c = 0; c < columns_.kinds; ++c) {
              work.m = m_.size[m], work.k = k_.size[k];
              work.n = images_.size[i] * rows_.size[r] * columns_.size[c];
              work.run = a_stationary_ ? columns_.size[c] : work.m;
              work.kernel = kernel_of(work.k);
              const ArrayTime time = array_time(problem_.core.matmul, work);
              const std::int64_t times =
                  m_.times[m] * k_.times[k] * images_.times[i] * rows_.times[r] * columns_.times[c];
              busy += times * (time.occupancy + problem_.core.matmul.issue_cycles);
              drain = std::min(drain, time.drain);
              fill = time.fill;
            }
    return static_cast<double>(shape_.batches * busy + drain + fill);
  }

  // As the matmul unit sees it: one channel and one kernel row are a plain product.
  std::int64_t kernel_of(std::int64_t k) const {
    if (!shape_.conv) return 1;
    const bool plain = shape_.conv->kernel_h == 1 && k == shape_.conv->kernel();
    return plain ? 1 : shape_.conv->kernel();
  }

  const TilingProblem& problem_;
  const GemmShape& shape_;
  const std::int64_t partition_m_, partition_n_, partition_k_, tile_m_, tile_n_;
  const bool a_stationary_;
  const ColumnBox all_, step_, tile_;
  const Cut m_, k_, images_, rows_, columns_;
  std::int64_t m_steps_ = 1, n_steps_ = 1, n_tiles_ = 1, groups_ = 1, load_a_ = 1, load_b_ = 1;
};

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
double conv_input_bytes(const TilingProblem& p, const TilingPoint& point, const PointBound& smallest) {
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
Traffic dram_traffic(const TilingProblem& p, const TilingPoint& point, const PointBound& smallest) {
  const GemmShape& s = p.whole;
  const auto batches = static_cast<double>(s.batches), d_s = static_cast<double>(p.limits.d_s);
  const double a = (p.a_batched ? batches : 1) * static_cast<double>(s.m) * static_cast<double>(s.k) * d_s;
  double b = (p.b_batched ? batches : 1) * static_cast<double>(s.n) * static_cast<double>(s.k) * d_s;
  if (s.conv) b = conv_input_bytes(p, point, smallest);
  const double c =
      batches * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(p.result_element);
  if (p.shares_loads) return {a + b, c};
  std::int64_t read_a = parts_of(point.parts_n, p.n_parts) * smallest.load_a();
  std::int64_t read_b = parts_of(point.parts_m, p.m_parts) * smallest.load_b();
  // The parts of a convolution share its weights over images, those of one group its input.
  if (s.conv) read_a *= parts_of(point.parts_batch, p.batch_parts);
  if (s.conv && s.batches > 1) read_b = smallest.load_b();
  return {a * static_cast<double>(read_a) + b * static_cast<double>(read_b), c};
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

TilingBound bound_of(const TilingProblem& p, const TilingPoint& point) {
  const GemmShape large = largest_part(p, point), small = smallest_part(p, point);
  const PointBound largest(p, point, large);
  const PointBound::Times t = largest.times();
  const Traffic traffic = dram_traffic(p, point, PointBound(p, point, small));
  const double bytes = traffic.read + traffic.written;
  const std::int64_t parts = parts_of(point.parts_batch, p.batch_parts) * parts_of(point.parts_m, p.m_parts) *
                             parts_of(point.parts_n, p.n_parts);
  const double clusters = static_cast<double>(ceil_div<std::int64_t>(parts, p.cores_per_cluster));
  const double dram = bytes / p.dram_bytes_per_cycle;
  const double network = p.cluster_bytes_per_cycle == 0 || p.shares_loads
                             ? 0
                             : std::max(traffic.read, traffic.written) / clusters / p.cluster_bytes_per_cycle;
  TilingBound bound;
  bound.dram_bytes = bytes;
  bound.cycles = p.core.control.launch_cycles + std::max({t.array, t.port, t.loads, t.stores, t.vector, dram, network});
  bound.work = t.array + t.port + t.loads + t.stores + t.vector + dram + network;
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
