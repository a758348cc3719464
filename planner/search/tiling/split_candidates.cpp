#include "planner/search/tiling/split_candidates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/estimate/part_time.h"
#include "planner/ir/directions.h"
#include "planner/ir/in_place.h"
#include "planner/ir/split_index.h"
#include "planner/passes/label/allowed_parts.h"
#include "planner/passes/label/parts.h"

namespace tilewright {
namespace {

class CandidateSplits {
 public:
  CandidateSplits(const Plan& plan, const Operator& op)
      : plan_(plan), op_(op), shape_(plan.graph.tensor(op.output).shape), allowed_(allowed_parts(plan, op)) {}

  std::vector<Split> all() const {
    std::vector<Split> splits;
    for (std::size_t outer = 0; outer < shape_.size(); ++outer) add(outer, splits);
    return splits;
  }

 private:
  // Parts that a dimension can be cut into; 1: it stays whole. Short rows are worth no cut.
  std::int64_t most_parts(std::size_t d) const {
    const bool rows = d + 1 == shape_.size();
    if (!allowed_.output[d] || (rows && !is_contraction(op_.kind))) return 1;
    const std::int64_t parts = shape_[d] / granule_of(plan_, op_, d);
    const Bytes row = shape_[d] * bytes_of(plan_.tensors[op_.output].type);
    return rows ? std::min(parts, row / shortest_run(plan_.hardware)) : parts;
  }

  void add(std::size_t outer, std::vector<Split>& splits) const {
    const std::int64_t clusters = plan_.hardware.clusters, inside = plan_.hardware.cores_per_cluster;
    if (most_parts(outer) >= clusters * inside) splits.push_back(cut(outer, clusters * inside, outer, 1));
    if (most_parts(outer) < clusters || inside == 1) return;
    for (std::size_t inner = 0; inner < shape_.size(); ++inner)
      if (inner != outer && most_parts(inner) >= inside) splits.push_back(cut(outer, clusters, inner, inside));
  }

  std::vector<Range> pieces(std::size_t d, std::int64_t count) const {
    return cut_pieces(shape_[d], count, Rounding::kEven, granule_of(plan_, op_, d));
  }

  // Cores in turn, those of a cluster in a row.
  Split cut(std::size_t outer, std::int64_t outer_parts, std::size_t inner, std::int64_t inner_parts) const {
    Split split;
    std::vector<std::int64_t> parts(shape_.size(), 1);
    parts[inner] = inner_parts, parts[outer] = outer_parts;
    split.reason = fmt::format("parts {}", fmt::join(parts, "x"));
    if (inner != outer) split.reason += fmt::format(", dimension {} over the clusters", outer);
    BoxRange box;
    for (const std::int64_t size : shape_) box.push_back({0, size});
    for (const Range& far : pieces(outer, outer_parts)) {
      box[outer] = far;
      const auto near = inner == outer ? std::vector<Range>{far} : pieces(inner, inner_parts);
      for (const Range& range : near) {
        box[inner] = range;
        split.items.push_back({static_cast<int>(split.items.size()), box, {}});
      }
    }
    return split;
  }

  const Plan& plan_;
  const Operator& op_;
  const Shape& shape_;
  const Allowed allowed_;
};

bool same_work(const Split& a, const Split& b) {
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), [](const auto& x, const auto& y) {
    return x.core == y.core && x.output == y.output && x.k.size() == y.k.size();
  });
}

}  // namespace

std::vector<Split> split_candidates(const Plan& plan, const Operator& op, const Split& own) {
  std::vector<Split> splits = CandidateSplits(plan, op).all();
  std::erase_if(splits, [&](const Split& split) { return same_work(split, own); });
  const auto most = static_cast<std::size_t>(constants().neighbour_candidates);
  if (!is_contraction(op.kind) || splits.size() <= most) return splits;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < splits.size(); ++i) order.emplace_back(split_cycles(plan, op, splits[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<Split> best;
  for (std::size_t i = 0; i < most; ++i) best.push_back(splits[order[i].second]);
  return best;
}

}  // namespace tilewright
