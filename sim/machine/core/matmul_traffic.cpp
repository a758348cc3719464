#include "sim/machine/core/matmul_traffic.h"

#include "sim/isa/unit_time.h"

namespace tilewright {

MatmulTraffic traffic_of(const MatmulSpec& spec, const Matmul& matmul) {
  const ArrayWork work = array_work_of(matmul);
  const std::int64_t rows = spec.rows, columns = spec.columns;
  const bool weight_stationary = spec.dataflow == Dataflow::kWeightStationary;
  const bool hold_a = weight_stationary && matmul.a_stationary;
  const bool hold_b = weight_stationary && !matmul.a_stationary;
  const std::int64_t a_passes = hold_a ? 1 : ceil_div(work.n, columns);
  const std::int64_t b_passes = hold_b ? 1 : ceil_div(work.m, hold_a ? columns : rows);
  const std::int64_t c_passes = weight_stationary ? ceil_div(work.k, rows) : 1;
  const Bytes element = bytes_of(matmul.type), result = bytes_of(accumulator_type(matmul.type));
  MatmulTraffic traffic;
  traffic.macs = work.m * work.n * work.k;
  traffic.a_read = element * work.m * work.k * a_passes;
  traffic.b_read = element * work.k * work.n * b_passes;
  traffic.accumulator_write = result * work.m * work.n * c_passes;
  traffic.accumulator_read = result * work.m * work.n * (c_passes - (matmul.accumulate ? 0 : 1));
  return traffic;
}

}  // namespace tilewright
