#include "planner/passes/label/parts.h"

#include <algorithm>
#include <numeric>

#include "planner/estimate/profitable_cores.h"
#include "planner/ir/contraction.h"
#include "planner/passes/label/parts_grid.h"
#include "planner/passes/label/parts_rule.h"

namespace tilewright {
namespace {

Parts parts_on(const Plan& plan, const Operator& op, const Allowed& allowed, std::int64_t cores) {
  if (asks_for_pieces(allowed)) return asked_parts(allowed, cores);
  if (plan.options.parallel != Parallel::kFree) return rule_parts(plan, op, allowed, cores);
  if (is_contraction(op.kind))
    return grid_parts(plan, op, allowed, std::min<std::int64_t>(cores, profitable_cores(plan, op)));
  return outer_parts(plan.graph.tensor(op.output).shape, allowed, cores);
}

// Samples over the clusters; inside each, parts of the operator over its cores.
Parts hybrid_parts(const Plan& plan, const Operator& op, Allowed allowed, int cores) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  const bool samples = !out.empty() && is_sample_dimension(plan, op, 0) && allowed.output[0];
  if (samples) allowed.output[0] = false, allowed.pieces[0] = 0;
  Parts parts = parts_on(plan, op, allowed, std::min(cores, plan.hardware.cores_per_cluster));
  const std::vector<std::int64_t>& inner = parts.output;
  parts.per_group = static_cast<int>(
      std::accumulate(inner.begin(), inner.end(), parts.k, [](std::int64_t a, std::int64_t b) { return a * b; }));
  if (samples) parts.output[0] = std::min<std::int64_t>(out[0], std::max(1, cores / plan.hardware.cores_per_cluster));
  return parts;
}

}  // namespace

Parts choose_parts(const Plan& plan, const Operator& op) {
  const Allowed allowed = allowed_parts(plan, op);
  const int cores = plan.options.cores > 0 ? plan.options.cores : plan.hardware.cores();
  if (plan.options.parallel == Parallel::kHybrid) return hybrid_parts(plan, op, allowed, cores);
  return parts_on(plan, op, allowed, cores);
}

std::int64_t granule_of(const Plan& plan, const Operator& op, std::size_t dimension) {
  if (op.kind != OpKind::kConv || dimension != 1 || op.attributes.groups == 1) return 1;
  return plan.graph.tensor(op.output).shape[1] / op.attributes.groups;
}

}  // namespace tilewright
