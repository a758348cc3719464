#include "planner/passes/label/parts_grid.h"

#include <algorithm>

#include "planner/estimate/part_time.h"
#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

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
  std::int64_t most_k() const { return allowed_.reduction ? std::min(cores_, k_ / k_granule_) : 1; }
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
    const double cycles = part_cycles(plan_, *part) + reduction_cycles(plan_, *part, counts.k);
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

}  // namespace

Parts grid_parts(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores) {
  return GridSearch(plan, op, allowed, cores).run();
}

}  // namespace tilewright
