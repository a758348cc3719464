#include "planner/passes/label/parts_rule.h"

#include <algorithm>

#include "planner/ir/axes.h"

namespace tilewright {
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

}  // namespace

bool asks_for_pieces(const Allowed& allowed) {
  const bool reduction = allowed.reduction && allowed.reduction_pieces > 0;
  return reduction || std::any_of(allowed.pieces.begin(), allowed.pieces.end(), [](std::int64_t n) { return n > 0; });
}

Parts asked_parts(const Allowed& allowed, std::int64_t cores) {
  Parts parts{std::vector<std::int64_t>(allowed.output.size(), 1)};
  for (const std::size_t d : candidates(allowed)) {
    const bool reduction = d == allowed.output.size();
    const std::int64_t asked = reduction ? allowed.reduction_pieces : allowed.pieces[d];
    if (asked == 0) continue;
    const std::int64_t pieces = std::min(asked, cores);
    (reduction ? parts.k : parts.output[d]) = pieces;
    cores /= pieces;
  }
  return parts;
}

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

Parts outer_parts(const Shape& shape, const Allowed& allowed, std::int64_t cores) {
  Parts parts{std::vector<std::int64_t>(shape.size(), 1)};
  std::vector<std::size_t> order = allowed.order();
  std::erase_if(order, [&](std::size_t d) { return !allowed.output[d]; });
  std::stable_partition(order.begin(), order.end(), [&](std::size_t d) { return d + 1 < shape.size(); });
  for (const std::size_t d : order)
    if (shape[d] >= cores) {
      parts.output[d] = cores;
      return parts;
    }
  for (const std::size_t d : order) {
    parts.output[d] = std::min(shape[d], cores);
    cores /= parts.output[d];
  }
  return parts;
}

}  // namespace tilewright
