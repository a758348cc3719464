#include "planner/passes/label/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/estimate/part_time.h"
#include "planner/ir/access.h"
#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"
#include "planner/ir/in_place.h"
#include "planner/ir/requirement.h"
#include "planner/passes/label/allowed_parts.h"
#include "sim/base/data_type.h"
#include "sim/base/error.h"

namespace tilewright {

std::int64_t granule_of(const Plan& plan, const Operator& op, std::size_t dimension) {
  if (op.kind != OpKind::kConv || dimension != 1 || op.attributes.groups == 1) return 1;
  return plan.graph.tensor(op.output).shape[1] / op.attributes.groups;
}

namespace {

// Dimensions that may be cut, by priority; the output's rank stands for the reduction.
std::vector<std::size_t> candidates(const Allowed& allowed) {
  std::vector<std::size_t> dimensions;
  for (const std::size_t d : allowed.order())
    if (allowed.output[d]) dimensions.push_back(d);
  if (!allowed.reduction) return dimensions;
  const auto later = std::find_if(dimensions.begin(), dimensions.end(),
                                  [&](std::size_t d) { return allowed.rank[d] > allowed.reduction_rank; });
  dimensions.insert(later, allowed.output.size());
  return dimensions;
}

std::int64_t granules_of(const Plan& plan, const Operator& op, std::size_t d) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  if (d == out.size()) return reduction_length(plan.graph, op) / kernel_of(plan.graph, op);
  return out[d] / granule_of(plan, op, d);
}

// Whether a row asks for a number of pieces, and the parts then: that many where asked. UserError without the cores.
bool asks_for_pieces(const Allowed& allowed) {
  const bool output =
      std::any_of(allowed.asked.begin(), allowed.asked.end(), [](const auto* row) { return row != nullptr; });
  return output || (allowed.reduction && allowed.reduction_asked != nullptr);
}

Parts asked_parts(const Operator& op, const Allowed& allowed, std::int64_t cores) {
  Parts parts{std::vector<std::int64_t>(allowed.output.size(), 1)};
  for (const std::size_t d : candidates(allowed)) {
    const bool reduction = d == allowed.output.size();
    const StrategyRow* row = reduction ? allowed.reduction_asked : allowed.asked[d];
    if (row == nullptr) continue;
    if (*row->pieces > cores)
      throw UserError(row->where, fmt::format("pieces: got {}, but there {} {} core{} for '{}'", *row->pieces,
                                              cores == 1 ? "is" : "are", cores, cores == 1 ? "" : "s", op.name));
    (reduction ? parts.k : parts.output[d]) = *row->pieces;
    cores /= *row->pieces;
  }
  return parts;
}

// One dimension, the first by priority that has an element for every memory channel.
Parts rule_parts(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores) {
  const std::vector<std::size_t> dimensions = candidates(allowed);
  Parts parts{std::vector<std::int64_t>(allowed.output.size(), 1)};
  if (dimensions.empty()) return parts;
  std::vector<std::int64_t> sizes;
  for (const std::size_t d : dimensions) sizes.push_back(granules_of(plan, op, d));
  const std::int64_t channels = std::max<std::int64_t>(1, plan.hardware.dram.channels * cores / plan.hardware.cores());
  const SplitIndex index = split_index(sizes, channels, cores, plan.options.rounding);
  const std::size_t chosen = dimensions[index.dimension];
  (chosen < allowed.output.size() ? parts.output[chosen] : parts.k) = std::ssize(index.ranges);
  return parts;
}

// Cuts of outputs that are no products' into one part for each core.
class OuterParts {
 public:
  OuterParts(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores)
      : plan_(plan),
        shape_(plan.graph.tensor(op.output).shape),
        row_(shape_.empty() ? 0 : shape_.back() * bytes_of(plan.tensors[op.output].type)),
        cores_(cores) {
    for (const std::size_t d : allowed.order()) {
      if (allowed.output[d]) (d + 1 < shape_.size() ? outer_ : innermost_).push_back(d);
      if (allowed.moved[d] && d + 1 < shape_.size()) moved_.push_back(d);
    }
  }

  // The first dimension by priority with an element for every core, or several. Where those do not give every core a
  // part, the innermost one, unless pieces of rows were too short; or one along which elements move; or what there is.
  Parts run() const {
    for (const std::size_t d : outer_)
      if (shape_[d] >= cores_) return part_for_each_core(d);
    Parts several = whole();
    std::int64_t left = cores_;
    for (const std::size_t d : outer_) left /= several.output[d] = std::min(shape_[d], left);
    if (product_of(several.output) == cores_) return several;
    if (!innermost_.empty() && row_ / cores_ >= least_piece()) return part_for_each_core(innermost_[0]);
    for (const std::size_t d : moved_)
      if (shape_[d] >= cores_) return part_for_each_core(d);
    if (!innermost_.empty())
      several.output[innermost_[0]] = std::clamp<std::int64_t>(row_ / shortest_run(plan_.hardware), 1, left);
    return several;
  }

 private:
  // Of a row, that a core may get alone. Where there is another dimension to cut, twice what is worth a run: random
  // copies on five chips lost 2 to 12 % where they were cut along that instead, with shorter ones up to 68 % here.
  Bytes least_piece() const {
    return moved_.empty() ? plan_.hardware.dram.burst_bytes : 2 * shortest_run(plan_.hardware);
  }
  Parts whole() const { return {std::vector<std::int64_t>(shape_.size(), 1)}; }
  Parts part_for_each_core(std::size_t dimension) const {
    Parts parts = whole();
    parts.output[dimension] = cores_;
    return parts;
  }

  const Plan& plan_;
  const Shape& shape_;
  const Bytes row_;
  const std::int64_t cores_;
  std::vector<std::size_t> outer_, moved_, innermost_;  // of the last, one at most
};

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

// Parts of a product: the grid over batch, m, n and k whose slowest part is predicted to be fastest.
class PartsSearch {
 public:
  PartsSearch(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores, std::int64_t sums)
      : plan_(plan),
        op_(op),
        allowed_(allowed),
        out_(plan.graph.tensor(op.output).shape),
        at_(cut_directions(plan, op, allowed)),
        cores_(cores),
        sums_(sums),
        k_granule_(kernel_of(plan.graph, op)),
        k_(reduction_length(plan.graph, op)) {}

  // Ties go to fewer parts of the reduction, then more parts in batch, then in m.
  Parts run() {
    if (sums_ > most_k())
      throw UserError(op_.name, fmt::format("sums: got {}, but its sum can be cut into {}", sums_, most_k()));
    for (std::int64_t pk = std::max<std::int64_t>(1, sums_); pk <= (sums_ > 0 ? sums_ : most_k()); pk *= 2)
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
    return allowed_.reduction ? std::min({cores_, k_ / k_granule_, partials_with_room()}) : 1;
  }
  // Where DRAM is kept for the program: partial results lie in a half of it.
  std::int64_t partials_with_room() const {
    if (plan_.options.program_memory == 0) return cores_;
    const Bytes one = element_count(out_) * bytes_of(accumulator_type(plan_.tensors[op_.inputs[0]].type));
    return std::max<std::int64_t>(1, plan_.options.program_memory / (2 * one));
  }
  std::int64_t limit(std::size_t d, std::int64_t cores) const {
    if (d >= out_.size() || !allowed_.output[d]) return 1;
    return std::max<std::int64_t>(1, std::min(out_[d] / granule_of(plan_, op_, d), cores));
  }
  void consider(const Counts& counts) {
    Parts parts{std::vector<std::int64_t>(out_.size(), 1), counts.k};
    if (at_.batch < out_.size()) parts.output[at_.batch] = counts.batch;
    parts.output[at_.m] = counts.m;
    parts.output[at_.n] = counts.n;
    BoxRange largest = whole_box(out_);
    for (std::size_t d = 0; d < out_.size(); ++d) {
      const std::int64_t granule = granule_of(plan_, op_, d);
      largest[d].end = std::min(out_[d], ceil_div(out_[d], parts.output[d] * granule) * granule);
    }
    const Range k{0, ceil_div(k_, counts.k * k_granule_) * k_granule_};
    const auto part = make_contraction(plan_, op_, largest, counts.k == 1 ? Range{} : k);
    const double cycles = part_cycles(plan_, *part) + reduction_cycles(plan_, *part, counts.k, Reduction::kClusters);
    if (best_.output.empty() || cycles < best_cycles_) best_ = std::move(parts), best_cycles_ = cycles;
  }

  const Plan& plan_;
  const Operator& op_;
  const Allowed& allowed_;
  const Shape& out_;
  const CutDirections at_;
  const std::int64_t cores_, sums_, k_granule_, k_;
  Parts best_;
  double best_cycles_ = 0;
};

Parts parts_on(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores,
               std::int64_t sums = 0) {
  if (asks_for_pieces(allowed)) return asked_parts(op, allowed, cores);
  if (plan.options.parallel != Parallel::kFree) return rule_parts(plan, op, allowed, cores);
  if (is_contraction(op.kind))
    return PartsSearch(plan, op, allowed, std::min<std::int64_t>(cores, profitable_cores(plan, op)), sums).run();
  return OuterParts(plan, op, allowed, cores).run();
}

// Samples over the clusters; inside each, parts of the operator over its cores.
Parts hybrid_parts(const Plan& plan, const Operator& op, Allowed allowed, int cores) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const bool samples = !out.empty() && is_sample_dimension(plan, op, 0) && allowed.output[0];
  if (samples) allowed.output[0] = false, allowed.asked[0] = nullptr;
  Parts parts = parts_on(plan, op, allowed, std::min(cores, plan.hardware.cores_per_cluster));
  const std::vector<std::int64_t>& inner = parts.output;
  parts.per_group = static_cast<int>(
      std::accumulate(inner.begin(), inner.end(), parts.k, [](std::int64_t a, std::int64_t b) { return a * b; }));
  if (samples) parts.output[0] = std::min<std::int64_t>(out[0], std::max(1, cores / plan.hardware.cores_per_cluster));
  return parts;
}

}  // namespace

Parts choose_parts(const Plan& plan, const Operator& op, std::int64_t sums) {
  const Allowed allowed = allowed_parts(plan, op);
  const int cores = plan.cores();
  if (plan.options.parallel == Parallel::kHybrid) return hybrid_parts(plan, op, allowed, cores);
  return parts_on(plan, op, allowed, cores, sums);
}

}  // namespace tilewright
