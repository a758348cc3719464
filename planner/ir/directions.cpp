#include "planner/ir/directions.h"

#include <algorithm>

namespace tilewright {

Directions directions_of(const Plan& plan, const Operator& op) {
  const Shape& out = plan.graph.tensor(op.output).shape;
  if (op.kind == OpKind::kConv) return {0, 1, 2, op.attributes.groups > 1 ? out[1] / op.attributes.groups : 1};
  const std::size_t rank = out.size();
  std::size_t batch = rank;  // none
  for (std::size_t d = 0; d + 2 < rank; ++d)
    if (batch == rank && out[d] > 1) batch = d;
  return {batch, rank - 2, rank - 1, 1};
}

std::vector<BoxRange> cut_grid(const Shape& shape, const std::vector<std::int64_t>& parts,
                               const std::vector<std::int64_t>& granule) {
  std::vector<BoxRange> boxes{{}};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t step = granule.empty() ? 1 : granule[d], granules = ceil_div(shape[d], step);
    std::vector<BoxRange> next;
    for (const BoxRange& box : boxes)
      for (std::int64_t i = 0; i < parts[d]; ++i) {
        BoxRange longer = box;
        longer.push_back({i * granules / parts[d] * step, std::min(shape[d], (i + 1) * granules / parts[d] * step)});
        next.push_back(std::move(longer));
      }
    boxes = std::move(next);
  }
  return boxes;
}

}  // namespace tilewright
