#include "planner/ir/granule.h"

#include "planner/ir/axes.h"
#include "planner/ir/contraction.h"

namespace tilewright {

std::int64_t granule_at(const Plan& plan, const Operator& op, int axis, bool innermost, std::int64_t size) {
  const CoreSpec& core = plan.hardware.core;
  const int out = static_cast<int>(plan.graph.tensor(op.output).shape.size());
  const int m = op.kind == OpKind::kConv ? 1 : out - 2, n = out - 1;
  std::int64_t width = innermost ? core.vector.lanes : 1;
  if (is_contraction(op.kind)) {
    width = axis == m ? core.matmul.block_m : axis == n ? core.matmul.block_n : 1;
    if (axis == kReducedAxis && core.matmul.dataflow == Dataflow::kWeightStationary) width = core.matmul.rows;
  }
  return size % width == 0 ? width : 1;
}

}  // namespace tilewright
