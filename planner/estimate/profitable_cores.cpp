#include "planner/estimate/profitable_cores.h"

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/contraction.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

// Time of the largest of `parts_m` x `parts_n` parts: it computes once its first blocks are there, or waits for the
// last ones.
double part_bound(const Plan& plan, const GemmShape& whole, DataType type, std::int64_t parts_m, std::int64_t parts_n) {
  const MatmulSpec& spec = plan.hardware.core.matmul;
  const std::int64_t m = ceil_div(whole.m, parts_m), n = ceil_div(whole.n, parts_n), k = whole.k;
  const std::int64_t first_m = std::min<std::int64_t>(m, spec.rows), first_n = std::min<std::int64_t>(n, spec.columns);
  const std::int64_t first_k = std::min<std::int64_t>(k, constants().first_block_depth * spec.rows);
  const double bandwidth = bandwidth_share(plan.hardware, static_cast<int>(parts_m * parts_n)) / bytes_of(type);
  const auto loading = [&](std::int64_t rows, std::int64_t columns, std::int64_t deep) {
    return static_cast<double>((rows + columns) * deep) / bandwidth;
  };
  const auto computing = [&](std::int64_t rows, std::int64_t columns) {
    return static_cast<double>(matmul_time(spec, {.m = rows, .n = columns, .k = k, .type = type}).busy);
  };
  return std::max(loading(first_m, first_n, first_k) + computing(m, n), loading(m, n, k) + computing(first_m, first_n));
}

double bound(const Plan& plan, const GemmShape& whole, DataType type, std::int64_t cores) {
  double least = part_bound(plan, whole, type, std::min(whole.m, cores), 1);
  for (std::int64_t m = 1; m <= std::min(whole.m, cores); ++m)
    if (cores % m == 0 && cores / m <= whole.n) least = std::min(least, part_bound(plan, whole, type, m, cores / m));
  return least;
}

}  // namespace

int profitable_cores(const Plan& plan, const Operator& op) {
  const Hardware& hardware = plan.hardware;
  if (op.kind != OpKind::kMatMul || hardware.has_cluster_cache()) return hardware.cores();
  const auto whole = make_contraction(plan, op, whole_box(plan.graph.tensor(op.output).shape));
  if (whole->shape().batches > 1) return hardware.cores();
  const DataType type = plan.tensors[whole->tensor_a()].type;
  int best = hardware.cores();
  double least = bound(plan, whole->shape(), type, best);
  for (int cores = best / 2; cores >= 1; cores /= 2)
    if (const double cycles = bound(plan, whole->shape(), type, cores);
        cycles < least * (1 - constants().fewer_cores_gain))
      best = cores, least = cycles;
  return best;
}

}  // namespace tilewright
