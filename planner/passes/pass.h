// A pass is a function on the Plan with a verifier. Each pass header opens with three lines: needs, does, guarantees.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "planner/ir/plan.h"

namespace tilewright {

struct Pass {
  std::string_view name;
  void (*run)(Plan&);
  // Throws InternalError when what the pass guarantees does not hold.
  void (*verify)(const Plan&);
};

// Every pass in the order they run: fold, fuse, decompose, merge, group, label, split, tile, order, allocate,
// reduce_partials, lower, link, replicate, pack.
const std::vector<Pass>& all_passes();

struct PassOptions {
  std::string dump_after;                                   // name of a pass; UserError when there is none such
  std::function<void(std::string_view, const Plan&)> dump;  // called after it, in every try
  std::string_view stop_after;                              // the last pass to run; empty: all of them
  bool verify = true;                                       // false: of a plan that is only predicted
  bool again = true;                                        // false: what has no room is not planned again
};

// Runs the passes one after the other, each verified, PassOptions::verify. UserError for what cannot be planned on this
// chip and for what is more work than allowed (sim/isa/work_limit.h); Stopped (sim/base/stop.h). What has no room in
// DRAM (NoRoomInDram, planner/ir/region_allocator.h) is planned again without PlanOptions::merge, then with more
// PlanOptions::decompose_spare and program_memory, then with groups_for_parts() (planner/passes/group_choice.h), where
// neither this memory nor choices nor an order are given: they are for operators in the parts that it makes.
Plan make_plan(const Graph& graph, const Hardware& hardware, const PlanOptions& options, const PassOptions& = {});

// Runs the passes behind `after` on a plan that stopped there, up to and with `last` (empty: all). Without `verify` no
// pass is verified, for a program that is verified where it runs, or only predicted.
void run_passes(Plan& plan, std::string_view after, std::string_view last = {}, bool verify = true);

}  // namespace tilewright
