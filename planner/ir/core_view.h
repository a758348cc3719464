// What a part of an operator may count on, on a chip whose clusters differ: of a product by itself its own core; else,
// where parts agree on tiles or blocks with those of other cores, what all cores have.
#pragma once

#include <optional>

#include "planner/ir/group.h"

namespace tilewright {

inline const CoreSpec& core_of_part(const Plan& plan, OperatorId id, const WorkItem& item) {
  if (plan.hardware.kinds.empty()) return plan.hardware.core;
  const bool alone = is_contraction(plan.graph.op(id).kind) && item.k.size() == 0 && group_of(plan, id) == nullptr;
  return alone ? plan.hardware.core_of(item.core) : plan.hardware.core;
}

// While it lives `plan.hardware.core` is what the part may count on.
class CoreView {
 public:
  CoreView(Plan& plan, OperatorId id, const WorkItem& item) : plan_(plan) {
    if (plan.hardware.kinds.empty()) return;
    common_ = plan.hardware.core;
    plan.hardware.core = core_of_part(plan, id, item);
  }
  ~CoreView() {
    if (common_) plan_.hardware.core = *common_;
  }
  CoreView(const CoreView&) = delete;
  CoreView& operator=(const CoreView&) = delete;

 private:
  Plan& plan_;
  std::optional<CoreSpec> common_;
};

}  // namespace tilewright
