#include "planner/estimate/part_bound.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/abreast.h"
#include "sim/isa/unit_time.h"

namespace tilewright {

PartBound::PartBound(const TilingProblem& problem, const CoreSpec& core, const TilingPoint& point,
                     const GemmShape& part)
    : problem_(problem),
      core_(core),
      point_(point),
      shape_(part),
      partition_m_(std::min(point.partition_m, part.m)),
      partition_n_(std::min(point.partition_n, part.n)),
      partition_k_(std::min(point.partition_k, part.k)),
      tile_m_(std::min(point.tile_m, partition_m_)),
      tile_n_(std::min(point.tile_n, partition_n_)),
      a_stationary_(point.a_stationary),
      all_(columns_of(part)),
      step_(box_of(all_, partition_n_)),
      tile_(box_of(step_, tile_n_)),
      m_(cut_twice(part.m, partition_m_, tile_m_)),
      k_(cut_twice(part.k, partition_k_, partition_k_)),
      images_(cut_twice(all_.images, step_.images, tile_.images)),
      rows_(cut_twice(all_.rows, step_.rows, tile_.rows)),
      columns_(cut_twice(all_.columns, step_.columns, tile_.columns)) {
  n_steps_ = boxes_in(all_, step_);
  m_steps_ = ceil_div(part.m, partition_m_);
  n_tiles_ = images_.pieces * rows_.pieces * columns_.pieces;
  const bool whole = tile_m_ == part.m && n_tiles_ == 1 && partition_k_ == part.k;
  groups_ = whole ? std::min(part.batches, constants().batch_groups) : part.batches;
  count_loads(point.outer_rowmajor);
}

PartBound::Times PartBound::times() {
  count_abreast();
  const double set_up = core_.dma.setup_cycles;
  const double results = static_cast<double>(shape_.batches * shape_.m * shape_.n);
  const double stored = results * static_cast<double>(problem_.result_element);
  const double loaded_a = times_loaded(problem_.a_batched) * reads_.a * bytes_a();
  const double loaded_b = times_loaded(problem_.b_batched) * reads_.b * bytes_b();
  // Padding passes the port but needs no request.
  const double requests = static_cast<double>(problem_.largest_request * core_.dma.requests_per_cycle);
  const double tiles = static_cast<double>(groups_ * m_.pieces * n_tiles_);
  const double sums =
      lane_time(core_.vector, results * static_cast<double>(shape_.k), passes_of(core_.vector, VectorOp::kMultiplyAdd));
  Times t;
  t.array = product_cycles(sums) + port_time(core_.dma, first_load()) + set_up + last_result();
  t.port = port_time(core_.dma, loaded_a + loaded_b + stored) + set_up;
  t.loads = load_count() * set_up + (loaded_a + (padded() ? 0 : loaded_b)) / requests;
  t.stores = tiles * set_up + stored / requests;
  t.vector = (problem_.on_vector ? sums : 0) + expansion() +
             problem_.vector_instructions *
                 (tiles * core_.vector.issue_cycles + lane_time(core_.vector, results, least_passes(core_.vector)));
  return t;
}

// On both units no share of the groups is done earlier than the one with which both end together.
double PartBound::product_cycles(double sums) const {
  if (problem_.on_vector) return sums;
  const double array = array_cycles();
  return problem_.on_both ? array * sums / (array + sums) : array;
}

// Of packed weights, whenever they are loaded.
double PartBound::expansion() const {
  if (!problem_.limits.packed) return 0;
  const double loaded = times_loaded(problem_.b_batched) * reads_.b * static_cast<double>(shape_.n * shape_.k);
  return lane_time(core_.vector, loaded, passes_of(core_.vector, VectorOp::kDequantize));
}

void PartBound::count_loads(bool outer_rowmajor) {
  Tiling t;
  t.partition_m = partition_m_, t.partition_n = partition_n_, t.partition_k = partition_k_;
  t.outer_rowmajor = outer_rowmajor;
  t.need_splitk = partition_k_ < shape_.k;
  reads_ = least_operand_reads(t, shape_, problem_.limits, m_steps_, n_steps_);
}

// As the part's tiling has them.
void PartBound::count_abreast() {
  if (!problem_.abreast) return;
  TilingLimits limits = problem_.limits;
  limits.b_s1 = core_.buffer_a;
  limits.array = AbreastArray{core_.matmul, problem_.type};
  abreast_ = tiling_of(point_, shape_, limits).abreast;
}

// Filters of columns abreast are loaded once for each; of groups perhaps none, since the vector unit may compute them.
std::int64_t PartBound::copies_of_filters() const { return problem_.on_both ? 1 : abreast_; }

double PartBound::bytes_a() const {
  return static_cast<double>(copies_of_filters() * shape_.m * shape_.k * problem_.limits.d_s);
}

// One pass over operand B, padding included.
double PartBound::bytes_b() const {
  if (!shape_.conv) return static_cast<double>(stored_b_bytes(shape_.n, shape_.k, problem_.limits));
  return static_cast<double>(input_elements(all_, row_pieces(), column_pieces()) * shape_.conv->channels *
                             problem_.limits.d_s);
}

std::int64_t PartBound::input_elements(const ColumnBox& box, std::int64_t row_pieces,
                                       std::int64_t column_pieces) const {
  const ConvShape& c = *shape_.conv;
  const std::int64_t high = (c.kernel_h - 1) * c.dilation_h + 1, wide = (c.kernel_w - 1) * c.dilation_w + 1;
  return box.images * input_length(box.rows, row_pieces, c.stride_h, high) *
         input_length(box.columns, column_pieces, c.stride_w, wide);
}

double PartBound::load_count() const {
  return static_cast<double>(groups_ * k_.pieces) *
         (static_cast<double>(copies_of_filters() * m_.pieces) * reads_.a + static_cast<double>(n_steps_) * reads_.b);
}

// Bytes that must be there before the first matmul.
double PartBound::first_load() const {
  const std::int64_t deep = partition_k_ * problem_.limits.d_s;
  const std::int64_t a = tile_m_ * deep;
  if (!shape_.conv) return static_cast<double>(a + stored_b_bytes(tile_n_, partition_k_, problem_.limits));
  const std::int64_t channels = partition_k_ / shape_.conv->kernel();
  return static_cast<double>(a + input_elements(step_, 1, 1) * channels * problem_.limits.d_s);
}

double PartBound::last_result() const {
  const auto results = static_cast<double>(m_.smallest * images_.smallest * rows_.smallest * columns_.smallest);
  const double vector = core_.vector.issue_cycles + lane_time(core_.vector, results, least_passes(core_.vector));
  return problem_.vector_instructions * vector + core_.dma.setup_cycles +
         port_time(core_.dma, results * static_cast<double>(problem_.result_element));
}

// Every instruction's issue and occupancy, the first one's fill, the shortest drain.
double PartBound::array_cycles() const {
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
            const ArrayWork seen = abreast_ == 1 ? work : abreast(work, *shape_.conv, columns_.size[c], abreast_);
            const MatmulTime time = matmul_time(core_.matmul, seen);
            const std::int64_t times =
                m_.times[m] * k_.times[k] * images_.times[i] * rows_.times[r] * columns_.times[c];
            busy += times * time.busy;
            drain = std::min(drain, time.drain);
            fill = time.fill;
          }
  return static_cast<double>(shape_.batches * busy + drain + fill);
}

// As the matmul unit sees it: one channel and one kernel row are a plain product.
std::int64_t PartBound::kernel_of(std::int64_t k) const {
  if (!shape_.conv) return 1;
  const bool plain = shape_.conv->kernel_h == 1 && k == shape_.conv->kernel();
  return plain ? 1 : shape_.conv->kernel();
}

}  // namespace tilewright
