// What one core of a point takes at least for its part (tiling_bound.h): the times of its units, each by itself.
#pragma once

#include "planner/estimate/tiling_bound.h"
#include "planner/estimate/tiling_cut.h"

namespace tilewright {

class PartBound {
 public:
  // On `core`. It outlives this, as do the problem, the point and the part.
  PartBound(const TilingProblem& problem, const CoreSpec& core, const TilingPoint& point, const GemmShape& part);

  // How often each matrix is read in whole, by least_operand_reads().
  double load_a() const { return reads_.a; }
  double load_b() const { return reads_.b; }
  // Pieces that the rows and the columns of a convolution's result fall into.
  std::int64_t row_pieces() const { return ceil_div(all_.rows, step_.rows); }
  std::int64_t column_pieces() const { return ceil_div(all_.columns, step_.columns); }

  // Core clocks.
  struct Times {
    double array, port, loads, stores, vector;
  };
  Times times();

 private:
  void count_loads(bool outer_rowmajor);
  void count_abreast();
  std::int64_t copies_of_filters() const;
  double bytes_a() const;
  double bytes_b() const;
  double expansion() const;
  std::int64_t input_elements(const ColumnBox& box, std::int64_t row_pieces, std::int64_t column_pieces) const;
  bool padded() const { return problem_.pad_h > 0 || problem_.pad_w > 0; }
  double times_loaded(bool batched) const { return static_cast<double>(batched ? shape_.batches : groups_); }
  double load_count() const;
  double first_load() const;
  double last_result() const;
  double array_cycles() const;
  // `sums`: all multiply-adds on the vector unit.
  double product_cycles(double sums) const;
  std::int64_t kernel_of(std::int64_t k) const;

  const TilingProblem& problem_;
  const CoreSpec& core_;
  const TilingPoint& point_;
  const GemmShape& shape_;
  const std::int64_t partition_m_, partition_n_, partition_k_, tile_m_, tile_n_;
  const bool a_stationary_;
  const ColumnBox all_, step_, tile_;
  const SizeCut m_, k_, images_, rows_, columns_;
  std::int64_t m_steps_ = 1, n_steps_ = 1, n_tiles_ = 1, groups_ = 1;
  OperandReads reads_;
  std::int64_t abreast_ = 1;
};

}  // namespace tilewright
