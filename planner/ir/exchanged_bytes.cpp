#include "planner/ir/exchanged_bytes.h"

#include <algorithm>

#include "planner/ir/access.h"
#include "planner/ir/in_place.h"
#include "planner/ir/partials.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

std::int64_t common_elements(const BoxRange& a, const BoxRange& b) {
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < a.size(); ++d)
    elements *= std::max<std::int64_t>(0, std::min(a[d].end, b[d].end) - std::max(a[d].begin, b[d].begin));
  return elements;
}

// Elements of `box` that `core` writes itself. Through a renaming of dimensions its own share is taken as its part of
// the whole.
double own_elements(const Plan& plan, const BoxRange& box, TensorId tensor, OperatorId writer, int core) {
  const TensorId written = plan.graph.op(writer).output;
  const bool same = seen_alike(plan, tensor, written);
  double own = 0;
  for (const WorkItem& item : plan.operators[writer].split.items) {
    if (item.core != core) continue;
    const double whole = static_cast<double>(element_count(plan.graph.tensor(tensor).shape));
    own += same ? static_cast<double>(common_elements(box, item.output))
                : static_cast<double>(element_count(box)) * static_cast<double>(element_count(item.output)) / whole;
  }
  return own;
}

}  // namespace

Bytes exchanged_bytes(const Plan& plan, OperatorId id) {
  const Operator& op = plan.graph.op(id);
  const auto inputs = all_inputs(op);
  double bytes = 0;
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const auto writers = writers_of(plan, inputs[input]);
    if (writers.empty()) continue;
    for (const WorkItem& item : plan.operators[id].split.items) {
      const BoxRange box = required_input(plan, op, input, item);
      auto others = static_cast<double>(element_count(box));
      for (const OperatorId writer : writers) others -= own_elements(plan, box, inputs[input], writer, item.core);
      bytes += std::max(0.0, others) * bytes_of(plan.tensors[inputs[input]].type);
    }
  }
  for (const PartialPlan& partial : plan.operators[id].partials) bytes += static_cast<double>(handed_on(partial));
  return static_cast<Bytes>(bytes);
}

}  // namespace tilewright
