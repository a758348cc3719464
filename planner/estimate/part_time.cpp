#include "planner/estimate/part_time.h"

#include <algorithm>
#include <bit>

#include "planner/constants/constants.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/contraction_unit.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/contraction.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

// All cores load at once, those that a grid leaves idle too: with the parts' own number instead of the chip's, grids of
// few parts look better than they are (resnet50 takes 1.3 % longer on tpu_v4_like, 0.5 % on gemmini_8x8).
double share_of(const Hardware& hardware) { return bandwidth_share(hardware, hardware.cores()); }

}  // namespace

double moved_cycles(const Plan& plan, const Contraction& part) {
  const GemmShape& s = part.shape();
  const DataType type = plan.tensors[part.tensor_a()].type;
  const double b =
      s.conv
          ? static_cast<double>(s.conv->input_elements(s.conv->images, s.conv->rows, s.conv->columns, s.conv->channels))
          : static_cast<double>(s.n) * static_cast<double>(s.k);
  const double others = static_cast<double>(s.m) * static_cast<double>(s.k + s.n) * bytes_of(type);
  const double bytes_b = part.packed() ? static_cast<double>(part.packed()->bytes(s.n, s.k)) : b * bytes_of(type);
  return static_cast<double>(s.batches) * (others + bytes_b) / share_of(plan.hardware);
}

double part_cycles(const Plan& plan, const Contraction& part) {
  const double loads = moved_cycles(plan, part);
  const DataType type = plan.tensors[part.tensor_a()].type;
  return std::max(compute_time(plan, type, part.shape()), loads) + constants().hidden_load_weight * loads;
}

namespace {

// Parts of one box, in as few clusters as hold them.
struct BoxParts {
  std::int64_t all, inside, clusters;  // inside: of one cluster
  double bytes;                        // of a partial result
};

std::int64_t halvings(std::int64_t count) { return std::bit_width(static_cast<std::uint64_t>(count - 1)); }

// What goes through the link of one cluster when every part reads its share of what all others left there, or of what
// the one before it did.
double crossing_cycles(const Hardware& hardware, const BoxParts& parts, Reduction reduction) {
  if (parts.clusters == 1) return 0;
  const auto others = static_cast<double>(parts.all - parts.inside);
  const double shares =
      reduction == Reduction::kRing ? static_cast<double>(parts.all - 1) : static_cast<double>(parts.inside) * others;
  return shares * parts.bytes / static_cast<double>(parts.all) / peer_peak(hardware);
}

// `moved`: to leave a partial result and to read it; `step`: to hand one on.
double reduction_cycles(const Hardware& hardware, const BoxParts& parts, Reduction reduction) {
  const double moved = 2 * parts.bytes / share_of(hardware);
  const double step = static_cast<double>(hardware.core.control.signal_cycles + 2 * hardware.core.dma.setup_cycles);
  const double others = static_cast<double>(parts.all - 1), shares = moved * others / static_cast<double>(parts.all);
  switch (reduction) {
    case Reduction::kClusters:
      return static_cast<double>(parts.inside - 1 + parts.clusters - 1) * moved +
             ((parts.inside > 1) + (parts.clusters > 1)) * step;
    case Reduction::kTree:
      return static_cast<double>(halvings(parts.inside) + halvings(parts.clusters)) * (moved + step);
    case Reduction::kRing:
      return std::max(shares, crossing_cycles(hardware, parts, reduction)) + others * step;
    case Reduction::kScatter:
    case Reduction::kNetwork:  // no more than that
      return std::max(shares, crossing_cycles(hardware, parts, reduction)) + step +
             others * static_cast<double>(hardware.core.dma.setup_cycles);
  }
  return 0;
}

}  // namespace

// At DRAM's share also where partial results meet in the memory of a cluster: what they cost there is not its bandwidth
// but that the core which adds them up loads nothing meanwhile. At that memory's own share sums are split where it does
// not pay: over seven networks on the three chips that have such a memory runs take 0.5 % longer in the mean, from 8 %
// shorter (googlenet on quad_numa_cache) to 12 % longer (bert_large_layer there).
double reduction_cycles(const Plan& plan, const Contraction& part, std::int64_t parts, Reduction reduction) {
  if (parts == 1) return 0;
  const auto inside = std::min<std::int64_t>(parts, plan.hardware.cores_per_cluster);
  const GemmShape& s = part.shape();
  const double bytes = static_cast<double>(s.batches) * static_cast<double>(s.m) * static_cast<double>(s.n) *
                       bytes_of(accumulator_type(plan.tensors[part.tensor_a()].type));
  return reduction_cycles(plan.hardware, {parts, inside, ceil_div(parts, inside), bytes}, reduction);
}

double split_cycles(const Plan& plan, const Operator& op, const Split& split, std::int64_t sums, Reduction reduction) {
  double slowest = 0;
  for (const WorkItem& item : split.items) {
    const auto part = make_contraction(plan, op, item);
    slowest = std::max(slowest, part_cycles(plan, *part) + reduction_cycles(plan, *part, sums, reduction));
  }
  return slowest;
}

Reduction fastest_reduction(const Plan& plan, const Contraction& part, std::int64_t parts) {
  Reduction fastest = Reduction::kClusters;
  double least = reduction_cycles(plan, part, parts, fastest) * (1 - constants().fewer_cores_gain);
  for (const Reduction other : {Reduction::kTree, Reduction::kRing, Reduction::kScatter})
    if (reduction_cycles(plan, part, parts, other) < least)
      fastest = other, least = reduction_cycles(plan, part, parts, other);
  return fastest;
}

namespace {

// Time of the largest of `parts_m` x `parts_n` parts: it computes once its first blocks are there, or waits for the
// last ones.
double grid_time(const Plan& plan, const GemmShape& whole, DataType type, std::int64_t parts_m, std::int64_t parts_n) {
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

double least_grid_time(const Plan& plan, const GemmShape& whole, DataType type, std::int64_t cores) {
  double least = grid_time(plan, whole, type, std::min(whole.m, cores), 1);
  for (std::int64_t m = 1; m <= std::min(whole.m, cores); ++m)
    if (cores % m == 0 && cores / m <= whole.n) least = std::min(least, grid_time(plan, whole, type, m, cores / m));
  return least;
}

}  // namespace

int profitable_cores(const Plan& plan, const Operator& op) {
  const Hardware& hardware = plan.hardware;
  if (op.kind != OpKind::kMatMul || hardware.shares_loads()) return hardware.cores();
  const auto whole = make_contraction(plan, op, whole_box(plan.graph.tensor(op.output).shape));
  if (whole->shape().batches > 1) return hardware.cores();
  const DataType type = plan.tensors[whole->tensor_a()].type;
  int best = hardware.cores();
  double least = least_grid_time(plan, whole->shape(), type, best);
  for (int cores = best / 2; cores >= 1; cores /= 2)
    if (const double cycles = least_grid_time(plan, whole->shape(), type, cores);
        cycles < least * (1 - constants().fewer_cores_gain))
      best = cores, least = cycles;
  return best;
}

}  // namespace tilewright
