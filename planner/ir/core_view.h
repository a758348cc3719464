// What a part of an operator may count on, on a chip whose clusters differ: of a product by itself its own core; else,
// where parts agree on tiles or blocks with those of other cores, what all cores have.
#pragma once

#include <algorithm>
#include <optional>

#include "planner/ir/plan.h"

namespace tilewright {

inline bool has_tiles_of_its_own(const Plan& plan, OperatorId id, const WorkItem& item) {
  if (!is_contraction(plan.graph.op(id).kind) || item.k.size() > 0) return false;
  return std::ranges::none_of(plan.groups, [&](const OperatorGroup& group) {
    return std::ranges::find(group.members, id) != group.members.end();
  });
}

inline const CoreSpec& core_of_part(const Plan& plan, OperatorId id, const WorkItem& item) {
  return has_tiles_of_its_own(plan, id, item) ? plan.hardware.core_of(item.core) : plan.hardware.core;
}

// While it lives `plan.hardware.core` is what the part may count on.
class CoreView {
 public:
  CoreView(Plan& plan, OperatorId id, const WorkItem& item) : plan_(plan) {
    if (plan.hardware.kinds.empty() || !has_tiles_of_its_own(plan, id, item)) return;
    common_ = plan.hardware.core;
    plan.hardware.core = plan.hardware.core_of(item.core);
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
