#include "planner/passes/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planner/constants/constants.h"
#include "planner/estimate/roofline.h"
#include "planner/ir/region_allocator.h"
#include "planner/passes/allocate/allocate.h"
#include "planner/passes/decompose/decompose.h"
#include "planner/passes/fold/fold.h"
#include "planner/passes/fuse/fuse.h"
#include "planner/passes/group/group.h"
#include "planner/passes/group_choice.h"
#include "planner/passes/label/label_tensors.h"
#include "planner/passes/link/link.h"
#include "planner/passes/lower/lower.h"
#include "planner/passes/merge/merge.h"
#include "planner/passes/order/order.h"
#include "planner/passes/pack/pack.h"
#include "planner/passes/reduce_partials/reduce_partials.h"
#include "planner/passes/replicate/replicate.h"
#include "planner/passes/split/split.h"
#include "planner/passes/tile/tile.h"
#include "sim/base/error.h"
#include "sim/base/stop.h"
#include "sim/base/text_list.h"
#include "sim/isa/work_limit.h"

namespace tilewright {
namespace {

void check_name(const std::string& name) {
  if (name.empty()) return;
  std::string known;
  for (const Pass& pass : all_passes()) {
    if (pass.name == name) return;
    append_item(known, "|", pass.name);
  }
  throw UserError("--dump-after", fmt::format("got '{}', expected {}", name, known));
}

void run_pass(const Pass& pass, Plan& plan, bool verify = true) {
  check_stop();
  pass.run(plan);
  check_stop();
  if (verify) pass.verify(plan);
}

// Before anything is planned: what has to be moved in any case.
void check_least_work(const Graph& graph, const Hardware& hardware) {
  check_work(fmt::format("network '{}'", graph.name), requests_in_any_plan(graph, hardware));
}

Plan planned(const Graph& graph, const Hardware& hardware, const PlanOptions& options,
             const PassOptions& pass_options) {
  Plan plan;
  plan.graph = graph;
  plan.hardware = hardware;
  plan.options = options;
  if (!options.groups) plan.options.groups = predicted_groups(graph, hardware, options);
  for (const Pass& pass : all_passes()) {
    run_pass(pass, plan, pass_options.verify);
    if (pass_options.dump && pass.name == pass_options.dump_after) pass_options.dump(pass.name, plan);
    if (pass.name == pass_options.stop_after) break;
  }
  return plan;
}

// Shares of the memory, each half as large again as the one before, up to `most`.
std::vector<Bytes> shares_of_memory(const Hardware& hardware, Bytes most) {
  std::vector<Bytes> shares;
  for (Bytes share = hardware.dram.capacity() / constants().dram_spare_divisor; share <= most; share += share / 2)
    shares.push_back(share);
  return shares;
}

// The results of merged siblings are there together; tensors took what instructions or partial results need, or parts
// of operators were too large beside what else was there. So once more with siblings apart, then with ever less of the
// memory for what is whole, and ever more of it kept from tensors, merged and apart.
std::optional<Plan> planned_with_less(const Graph& graph, const Hardware& hardware, PlanOptions options,
                                      const PassOptions& pass_options) {
  const auto tried = [&] { return if_room([&] { return planned(graph, hardware, options, pass_options); }); };
  const bool merge = std::exchange(options.merge, false);
  if (auto plan = tried()) return plan;
  for (const Bytes spare : shares_of_memory(hardware, hardware.dram.capacity() / 2))
    for (const Bytes kept : shares_of_memory(hardware, spare)) {
      options.decompose_spare = spare, options.program_memory = kept, options.merge = merge;
      if (auto plan = tried()) return plan;
      options.merge = false;
      if (!merge) continue;
      if (auto plan = tried()) return plan;
    }
  return {};
}

// Else with what would be cut into parts walked by rows, so that what is between takes no memory.
std::optional<Plan> planned_by_rows(const Graph& graph, const Hardware& hardware, PlanOptions options,
                                    const PassOptions& pass_options) {
  for (GroupChoice& groups : groups_for_parts(graph, hardware, options)) {
    options.groups = std::move(groups);
    if (auto plan = if_room([&] { return make_plan(graph, hardware, options, pass_options); })) return plan;
  }
  return {};
}

}  // namespace

const std::vector<Pass>& all_passes() {
  static const std::vector<Pass> passes = {
      {"fold", fold, verify_fold},
      {"fuse", fuse, verify_fuse},
      {"decompose", decompose, verify_decompose},
      {"merge", merge, verify_merge},
      {"group", group, verify_group},
      {"label", label, verify_label},
      {"split", split, verify_split},
      {"tile", tile, verify_tile},
      {"order", order, verify_order},
      {"allocate", allocate, verify_allocate},
      {"reduce_partials", reduce_partials, verify_reduce_partials},
      {"lower", lower, verify_lower},
      {"link", link, verify_link},
      {"replicate", replicate, verify_replicate},
      {"pack", pack, verify_pack},
  };
  return passes;
}

Plan make_plan(const Graph& graph, const Hardware& hardware, const PlanOptions& options,
               const PassOptions& pass_options) {
  check_name(pass_options.dump_after);
  check_least_work(graph, hardware);
  try {
    return planned(graph, hardware, options, pass_options);
  } catch (const NoRoomInDram&) {
    const bool given = options.program_memory > 0 || !options.choices.empty() || !options.order.empty();
    if (given || !pass_options.again) throw;
    auto plan = planned_with_less(graph, hardware, options, pass_options);
    if (!plan) plan = planned_by_rows(graph, hardware, options, pass_options);
    if (!plan) throw;
    return *std::move(plan);
  }
}

void run_passes(Plan& plan, std::string_view after, std::string_view last, bool verify) {
  auto pass = std::find_if(all_passes().begin(), all_passes().end(), [&](const Pass& p) { return p.name == after; });
  SIM_CHECK(pass != all_passes().end(), "no pass is called '{}'", after);
  while (++pass != all_passes().end()) {
    run_pass(*pass, plan, verify);
    if (pass->name == last) break;
  }
}

}  // namespace tilewright
