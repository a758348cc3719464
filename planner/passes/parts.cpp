#include "planner/passes/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "planner/passes/axes.h"
#include "planner/passes/contraction.h"
#include "planner/passes/requirement.h"
#include "planner/passes/useful_cores.h"
#include "sim/base/error.h"
#include "sim/hw/matmul_timing.h"

namespace tilewright {
namespace {

// Dimensions of the output that may be cut, and whether the reduction may.
struct Allowed {
  std::vector<bool> output;
  std::vector<std::int64_t> pieces;  // exact number that a row asks for; 0: none does
  std::vector<std::ptrdiff_t> rank;  // priority, the lowest first
  bool reduction = false;
  std::ptrdiff_t reduction_rank = std::numeric_limits<std::ptrdiff_t>::max();

  explicit Allowed(std::size_t dimensions)
      : output(dimensions, false), pieces(dimensions, 0), rank(dimensions, std::numeric_limits<std::ptrdiff_t>::max()) {}
  // Dimensions by priority, those of equal priority by position.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> order(output.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
    return order;
  }
};

bool is_sample_dimension(const Plan& plan, const Operator& op, std::size_t d) {
  return d == 0 && plan.labels[op.output].dynamic.order.starts_with('N');
}

TensorRole role_of(const Operator& op, std::size_t input) {
  return is_contraction(op.kind) && input == 1 ? TensorRole::kInputWeight : TensorRole::kInputNeuron;
}

void ask_for_pieces(const StrategyRow& row, std::int64_t size, std::int64_t& pieces) {
  if (!row.pieces) return;
  if (*row.pieces > size)
    throw UserError(row.where, fmt::format("pieces: got {}, but dimension {} has {} element{}", *row.pieces,
                                           fmt::join(row.dimensions, ""), size, size == 1 ? "" : "s"));
  pieces = *row.pieces;
}

// Position of a dimension in the table: rows one after the other.
std::ptrdiff_t priority(const Plan& plan, const StrategyRow& row, char dimension) {
  const std::ptrdiff_t before = (&row - strategies_of(plan).rows().data()) * 16;
  return before + (std::find(row.dimensions.begin(), row.dimensions.end(), dimension) - row.dimensions.begin());
}

void allow(const Plan& plan, const Operator& op, int axis, char dimension, const StrategyRow& row, Allowed& allowed) {
  if (axis == kReducedAxis && is_contraction(op.kind) && op.attributes.groups == 1) {
    allowed.reduction = true;
    allowed.reduction_rank = std::min(allowed.reduction_rank, priority(plan, row, dimension));
  }
  if (axis < 0) return;
  const bool sample = is_sample_dimension(plan, op, axis);
  const Parallel mode = plan.options.parallel;
  if ((mode == Parallel::kData && !sample) || (mode == Parallel::kModel && sample)) return;
  allowed.output[axis] = true;
  allowed.rank[axis] = std::min(allowed.rank[axis], priority(plan, row, dimension));
  ask_for_pieces(row, plan.graph.tensor(op.output).shape[axis], allowed.pieces[axis]);
}

// An operator that no row is about: every dimension, as far as the mode goes.
void derive(const Plan& plan, const Operator& op, Allowed& allowed) {
  const Parallel mode = plan.options.parallel;
  for (std::size_t d = 0; d < allowed.output.size(); ++d) {
    const bool sample = is_sample_dimension(plan, op, d);
    allowed.output[d] = mode == Parallel::kData ? sample : mode == Parallel::kModel ? !sample : true;
  }
  allowed.reduction = is_contraction(op.kind) && op.attributes.groups == 1 && mode != Parallel::kData;
}

Allowed allowed_parts(const Plan& plan, const Operator& op) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  Allowed allowed(out.size());
  if (!strategies_of(plan).covers(op.kind)) {
    derive(plan, op, allowed);
  } else {
    for (std::size_t input = 0; input < op.inputs.size(); ++input)
      for (std::size_t d = 0; d < plan.graph.tensor(op.inputs[input]).shape.size(); ++d)
        if (const StrategyRow* row = row_for(plan, op, input, d))
          allow(plan, op, axis_of(plan.graph, op, input, d), plan.labels[op.inputs[input]].dynamic.order[d], *row,
                allowed);
    const std::string& order = plan.labels[op.output].dynamic.order;
    for (std::size_t d = 0; d < out.size(); ++d)
      if (const StrategyRow* row = output_row(plan, op, order[d]); row && !is_contraction(op.kind))
        allow(plan, op, static_cast<int>(d), order[d], *row, allowed);
  }
  for (std::size_t d = 0; d < out.size(); ++d) allowed.output[d] = allowed.output[d] && can_cut(op, d);
  return allowed;
}

// Where the directions of a product lie in its output: `none` is past the last dimension.
struct CutDirections {
  std::size_t batch, m, n;
};

CutDirections cut_directions(const Plan& plan, const Operator& op, const Allowed& allowed) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  if (op.kind == OpKind::kConv) return {0, 1, out[2] == 1 || !allowed.output[2] ? std::size_t{3} : std::size_t{2}};
  const std::size_t rank = out.size();
  std::size_t batch = rank;  // none
  for (std::size_t d = 0; d + 2 < rank; ++d)
    if (batch == rank && out[d] > 1 && allowed.output[d]) batch = d;
  return {batch, rank - 2, rank - 1};
}

// Bytes per core clock that one core gets when all load at once.
double bandwidth_share(const Hardware& hardware) {
  const double per_clock =
      hardware.dram.peak_bytes_per_second() * static_cast<double>(hardware.core_clock.period_ps) * 1e-12;
  return per_clock / hardware.cores();
}

Cycles compute_cycles(const Plan& plan, const GemmShape& s, DataType type) {
  Cycles compute = kNeverCycle;
  for (const bool a_stationary : {false, true})
    compute = std::min(compute, array_time(plan.hardware.core.matmul, {.m = s.m,
                                                                       .n = s.n,
                                                                       .k = s.k,
                                                                       .a_stationary = a_stationary,
                                                                       .type = type,
                                                                       .kernel = s.conv ? s.conv->kernel() : 1})
                                    .occupancy);
  return compute;
}

// The larger of compute and load time of the largest part, cycles.
double part_cycles(const Plan& plan, const Contraction& part) {
  const GemmShape& s = part.shape();
  const DataType type = plan.tensors[part.tensor_a()].type;
  const double b =
      s.conv
          ? static_cast<double>(s.conv->input_elements(s.conv->images, s.conv->rows, s.conv->columns, s.conv->channels))
          : static_cast<double>(s.n) * static_cast<double>(s.k);
  const double elements = static_cast<double>(s.m) * static_cast<double>(s.k + s.n) + b;
  const double load = elements * bytes_of(type) / bandwidth_share(plan.hardware);
  const auto compute = static_cast<double>(compute_cycles(plan, s, type));
  return static_cast<double>(s.batches) * (std::max(compute, load) + 1e-3 * load);
}

// Adding up `parts` partial results of the box: inside the clusters, then between them. Each level signals once and
// moves every partial of it there and back.
double exchange_cycles(const Plan& plan, const Contraction& part, std::int64_t parts) {
  if (parts == 1) return 0;
  const Hardware& hardware = plan.hardware;
  const auto inside = std::min<std::int64_t>(parts, hardware.cores_per_cluster);
  const std::int64_t clusters = ceil_div(parts, inside);
  const GemmShape& s = part.shape();
  const double bytes = static_cast<double>(s.batches) * static_cast<double>(s.m) * static_cast<double>(s.n) *
                       bytes_of(accumulator_type(plan.tensors[part.tensor_a()].type));
  const double moved = static_cast<double>(inside - 1 + clusters - 1) * 2 * bytes / bandwidth_share(hardware);
  const int levels = (inside > 1) + (clusters > 1);
  return moved + levels * (hardware.core.control.signal_cycles + 2 * hardware.core.dau.setup_cycles);
}

// The grid over batch, m, n and k with the fastest slowest part.
class GridSearch {
 public:
  GridSearch(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores)
      : plan_(plan),
        op_(op),
        allowed_(allowed),
        out_(plan.graph.tensor(op.output).shape),
        at_(cut_directions(plan, op, allowed)),
        cores_(cores),
        k_granule_(kernel_of(plan.graph, op)),
        k_(reduction_length(plan.graph, op)) {}

  // Ties go to fewer parts of the reduction, then more parts in batch, then in m.
  Parts run() {
    for (std::int64_t pk = 1; pk <= most_k(); pk *= 2)
      for (std::int64_t pb = limit(at_.batch, cores_ / pk); pb >= 1; --pb)
        for (std::int64_t pm = limit(at_.m, cores_ / pk / pb); pm >= 1; --pm)
          consider({pb, pm, limit(at_.n, cores_ / pk / pb / pm), pk});
    return best_;
  }

 private:
  struct Counts {
    std::int64_t batch, m, n, k;
  };
  std::int64_t most_k() const {
    return allowed_.reduction ? std::min(cores_, k_ / k_granule_) : 1;
  }
  std::int64_t limit(std::size_t d, std::int64_t cores) const {
    if (d >= out_.size() || !allowed_.output[d]) return 1;
    const std::int64_t pieces = allowed_.pieces[d] > 0 ? allowed_.pieces[d] : out_[d] / granule_of(plan_, op_, d);
    return std::max<std::int64_t>(1, std::min(pieces, cores));
  }
  void consider(const Counts& counts) {
    Parts parts{std::vector<std::int64_t>(out_.size(), 1), counts.k};
    if (at_.batch < out_.size()) parts.output[at_.batch] = counts.batch;
    parts.output[at_.m] = counts.m;
    parts.output[at_.n] = counts.n;
    for (std::size_t d = 0; d < out_.size(); ++d)
      if (allowed_.pieces[d] > 0 && parts.output[d] != allowed_.pieces[d]) return;
    BoxRange largest = whole_box(out_);
    for (std::size_t d = 0; d < out_.size(); ++d) {
      const std::int64_t granule = granule_of(plan_, op_, d);
      largest[d].end = std::min(out_[d], ceil_div(out_[d], parts.output[d] * granule) * granule);
    }
    const Range k{0, ceil_div(k_, counts.k * k_granule_) * k_granule_};
    const auto part = make_contraction(plan_, op_, largest, counts.k == 1 ? Range{} : k);
    const double cycles = part_cycles(plan_, *part) + exchange_cycles(plan_, *part, counts.k);
    if (best_.output.empty() || cycles < best_cycles_) best_ = std::move(parts), best_cycles_ = cycles;
  }

  const Plan& plan_;
  const Operator& op_;
  const Allowed& allowed_;
  const Shape& out_;
  const CutDirections at_;
  const std::int64_t cores_, k_granule_, k_;
  Parts best_;
  double best_cycles_ = 0;
};

// The rule of the split index: one dimension, the first by priority that has an element for every memory channel.
Parts rule_parts(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  std::vector<std::size_t> dimensions;
  for (const std::size_t d : allowed.order())
    if (allowed.output[d]) dimensions.push_back(d);
  if (allowed.reduction) {
    const auto later = std::find_if(dimensions.begin(), dimensions.end(),
                                    [&](std::size_t d) { return allowed.rank[d] > allowed.reduction_rank; });
    dimensions.insert(later, out.size());
  }
  Parts parts{std::vector<std::int64_t>(out.size(), 1)};
  if (dimensions.empty()) return parts;
  std::vector<std::int64_t> sizes;
  for (const std::size_t d : dimensions)
    sizes.push_back(d == out.size() ? reduction_length(plan.graph, op) / kernel_of(plan.graph, op)
                                    : out[d] / granule_of(plan, op, d));
  const std::int64_t channels = std::max<std::int64_t>(1, plan.hardware.dram.channels * cores / plan.hardware.cores());
  const SplitIndex index = split_index(sizes, channels, cores, plan.options.rounding);
  const std::size_t chosen = dimensions[index.dimension];
  const bool asked = chosen < out.size() && allowed.pieces[chosen] > 0;
  const std::int64_t pieces = asked ? std::min(allowed.pieces[chosen], cores) : std::ssize(index.ranges);
  (chosen < out.size() ? parts.output[chosen] : parts.k) = pieces;
  return parts;
}

// The first dimension by priority with an element for every core, else as many dimensions as it takes.
Parts outer_parts(const Shape& shape, const Allowed& allowed, std::int64_t cores) {
  Parts parts{std::vector<std::int64_t>(shape.size(), 1)};
  const std::vector<std::size_t> order = allowed.order();
  for (const std::size_t d : order)
    if (allowed.pieces[d] > 0) {
      parts.output[d] = std::min(allowed.pieces[d], cores);
      return parts;
    }
  for (const std::size_t d : order)
    if (allowed.output[d] && shape[d] >= cores) {
      parts.output[d] = cores;
      return parts;
    }
  for (const std::size_t d : order) {
    if (!allowed.output[d]) continue;
    parts.output[d] = std::min(shape[d], cores);
    cores /= parts.output[d];
  }
  return parts;
}

Parts parts_on(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores) {
  if (plan.options.parallel != Parallel::kFree) return rule_parts(plan, op, allowed, cores);
  if (is_contraction(op.kind)) return GridSearch(plan, op, allowed, std::min<std::int64_t>(cores, useful_cores(plan, op))).run();
  return outer_parts(plan.graph.tensor(op.output).shape, allowed, cores);
}

// Samples over the clusters; inside each, parts of the operator over its cores.
Parts hybrid_parts(const Plan& plan, const Operator& op, Allowed allowed) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const bool samples = !out.empty() && is_sample_dimension(plan, op, 0) && allowed.output[0];
  if (samples) allowed.output[0] = false;
  Parts parts = parts_on(plan, op, allowed, plan.hardware.cores_per_cluster);
  const std::vector<std::int64_t>& inner = parts.output;
  parts.per_group = static_cast<int>(
      std::accumulate(inner.begin(), inner.end(), parts.k, [](std::int64_t a, std::int64_t b) { return a * b; }));
  if (samples) parts.output[0] = std::min<std::int64_t>(out[0], plan.hardware.clusters);
  return parts;
}

}  // namespace

Parts choose_parts(const Plan& plan, const Operator& op) {
  const Allowed allowed = allowed_parts(plan, op);
  if (plan.options.parallel == Parallel::kHybrid) return hybrid_parts(plan, op, allowed);
  return parts_on(plan, op, allowed, plan.hardware.cores());
}

std::int64_t granule_of(const Plan& plan, const Operator& op, std::size_t dimension) {
  if (op.kind != OpKind::kConv || dimension != 1 || op.attributes.groups == 1) return 1;
  return plan.graph.tensor(op.output).shape[1] / op.attributes.groups;
}

const StrategyTable& strategies_of(const Plan& plan) {
  return plan.options.strategies ? *plan.options.strategies : default_strategies();
}

const StrategyRow* row_for(const Plan& plan, const Operator& op, std::size_t input, std::size_t dimension) {
  const std::string& order = plan.labels[op.inputs[input]].dynamic.order;
  return strategies_of(plan).find(op.kind, role_of(op, input), order[dimension], plan.options.parallel);
}

const StrategyRow* output_row(const Plan& plan, const Operator& op, char dimension) {
  return strategies_of(plan).find(op.kind, TensorRole::kOutputNeuron, dimension, plan.options.parallel);
}

}  // namespace tilewright
