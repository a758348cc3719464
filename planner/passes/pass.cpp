#include "planner/passes/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planner/constants/constants.h"
#include "planner/estimate/roofline.h"
#include "planner/ir/epilogue.h"
#include "planner/ir/region_allocator.h"
#include "planner/ir/siblings.h"
#include "planner/passes/allocate/allocate.h"
#include "planner/passes/decompose/decompose.h"
#include "planner/passes/fold/fold.h"
#include "planner/passes/fuse/fuse.h"
#include "planner/passes/group/group.h"
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
#include "planner/passes/tile/together.h"
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

// A product or convolution and something behind it.
bool could_be_together(const Graph& graph) {
  const auto& operators = graph.operators();
  return operators.size() > 1 &&
         std::any_of(operators.begin(), operators.end(), [](const Operator& op) { return is_contraction(op.kind); });
}

// A product, and a product of its rows or a softmax before it; a convolution, and one before it.
bool could_form_group(const Graph& graph) {
  const auto& operators = graph.operators();
  return std::any_of(operators.begin(), operators.end(), [&](const Operator& op) {
    const auto writer = op.inputs.empty() ? std::nullopt : graph.tensor(op.inputs[0]).producer;
    if (!is_contraction(op.kind) || !writer) return false;
    const OpKind before = graph.op(*writer).kind;
    return before == op.kind || (op.kind == OpKind::kMatMul && before == OpKind::kSoftmax);
  });
}

// Sets of siblings that may become one, by name.
std::vector<GroupChoice::Group> siblings_to_try(const Plan& plan) {
  if (!plan.options.merge || plan.options.parallel != Parallel::kFree || plan.options.type == DataType::kInt8)
    return {};
  return sibling_sets(plan.graph);
}

// The trial plan, tiled operator by operator, with those siblings merged that are predicted to be faster so.
Plan with_merged(Plan trial, const Graph& graph) {
  PlanOptions options = trial.options;
  options.groups->merged = siblings_to_try(trial);
  while (!options.groups->merged.empty()) {
    Plan merged = make_plan(graph, trial.hardware, options, {.stop_after = "tile"});
    const std::size_t before = options.groups->merged.size();
    std::erase_if(options.groups->merged,
                  [&](const GroupChoice::Group& set) { return !faster_merged(trial, merged, set.operators); });
    if (options.groups->merged.size() == before) return merged;
  }
  return trial;
}

// What to compute together is known once everything is fused, split and tiled. Choices for operators do not change what
// is fused, so that they find the same operators.
GroupChoice predicted_groups(const Graph& graph, const Hardware& hardware, PlanOptions options) {
  if (!options.fuse || options.group == Grouping::kNone || !could_be_together(graph)) return {};
  options.groups.emplace();
  options.choices.clear();
  options.merge = options.merge && options.order.empty();  // which names operators as they are without
  options.order.clear();
  Plan trial = make_plan(graph, hardware, options, {.stop_after = "fuse"});
  const auto& operators = trial.graph.operators();
  const bool elements = std::any_of(operators.begin(), operators.end(),
                                    [&](const Operator& op) { return has_element_operand(trial.graph, op); });
  if (!elements && !could_form_group(trial.graph) && siblings_to_try(trial).empty()) return {};
  run_passes(trial, "fuse", "tile");
  trial = with_merged(std::move(trial), graph);
  GroupChoice choice = best_together(trial);
  choice.merged = trial.options.groups->merged;
  return choice;
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

// The results of merged siblings are there together; tensors took what instructions or partial results need, or parts
// of operators were too large beside what else was there. So once more with siblings apart, then with ever more of the
// memory kept from tensors, merged and apart.
std::optional<Plan> planned_with_less(const Graph& graph, const Hardware& hardware, PlanOptions options,
                                      const PassOptions& pass_options) {
  const auto tried = [&] { return planned(graph, hardware, options, pass_options); };
  const Bytes memory = hardware.dram.capacity();
  const bool merge = std::exchange(options.merge, false);
  auto plan = if_room(tried);
  for (Bytes kept = memory / constants().dram_spare_divisor; !plan && kept <= memory / 2; kept += kept / 2) {
    options.program_memory = kept;
    options.merge = merge;
    plan = if_room(tried);
    options.merge = false;
    if (!plan && merge) plan = if_room(tried);
  }
  return plan;
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
    if (options.program_memory > 0 || !options.choices.empty() || !options.order.empty()) throw;
    auto plan = planned_with_less(graph, hardware, options, pass_options);
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
