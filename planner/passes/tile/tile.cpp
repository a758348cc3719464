#include "planner/passes/tile/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "planner/emit/chunk.h"
#include "planner/estimate/tiling_time.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/core_view.h"
#include "planner/ir/follower.h"
#include "planner/ir/group.h"
#include "planner/ir/hand_on.h"
#include "planner/ir/partials.h"
#include "planner/passes/tile/closed_form.h"
#include "planner/passes/tile/refine.h"
#include "planner/passes/tile/tile_groups.h"
#include "sim/base/error.h"
#include "sim/base/stop.h"

namespace tilewright {
namespace {

// Independent products smaller than a tile: one tile each, so that several can move together.
void widen_small_batches(Tiling& tiling, const GemmShape& shape, const TilingLimits& limits) {
  if (shape.batches == 1 || (shape.m >= limits.block_size_m && shape.n >= limits.block_size_n)) return;
  Tiling whole = tiling;
  whole.partition_m = whole.tile_m = shape.m;
  whole.partition_n = whole.tile_n = shape.n;
  whole.partition_k = shape.k;
  derive(whole, shape, limits);
  whole.reason += "; a whole product is one tile";
  if (check_tiling(whole, shape, limits).empty()) tiling = whole;
}

// Which operand a weight-stationary array holds: whichever makes the instruction of one tile shorter.
bool prefers_a(const Plan& plan, const Contraction& part, const Tiling& tiling) {
  ArrayWork work{.m = tiling.tile_m, .n = tiling.tile_n, .k = tiling.partition_k};
  work.type = plan.tensors[part.tensor_a()].type;
  if (part.shape().conv) work.kernel = part.shape().conv->kernel();
  return shorter_with_a_held(plan.hardware.core.matmul, work);
}

// Parts with the box of `item` that have the longest and the shortest range of the reduction; of equals the first.
struct Partials {
  std::size_t longest, shortest;
};
Partials partials_of(const std::vector<WorkItem>& items, std::size_t item) {
  const std::vector<std::size_t> box = parts_of_box(items, item);
  Partials found{box.front(), box.front()};
  for (const std::size_t i : box) {
    if (items[i].k.size() > items[found.longest].k.size()) found.longest = i;
    if (items[i].k.size() < items[found.shortest].k.size()) found.shortest = i;
  }
  return found;
}

// The tiling of a longer range of the reduction, for the same tiles of a shorter one.
Tiling shortened(Tiling tiling, const GemmShape& shape, const TilingLimits& limits) {
  const bool whole = !tiling.need_splitk;
  tiling.partition_k = std::min(tiling.partition_k, shape.k);
  if (!whole && tiling.partition_k == shape.k && shape.k > 1 && !shape.conv)
    tiling.partition_k = ceil_div(shape.k, std::int64_t{2});
  tiling.need_splitk = tiling.use_acc_buffer = tiling.partition_k < shape.k;
  tiling.acc_buffer_needed = accumulator_bytes(tiling, shape, limits);
  return tiling;
}

// The tiling fills at most the accumulate buffer divided by `accumulators`.
Tiling tile_within(const Plan& plan, const Operator& op, const WorkItem& item, std::size_t cores, int accumulators) {
  check_stop();
  const auto part = make_contraction(plan, op, item);
  PredictionInput input = prediction_input(plan, op, *part, cores);
  input.limits.acc_buffer_max /= accumulators;
  try {
    Tiling tiling = closed_form(part->shape(), without_spill(input.limits));
    widen_small_batches(tiling, part->shape(), input.limits);
    tiling.a_stationary = prefers_a(plan, *part, tiling);
    derive(tiling, part->shape(), input.limits);
    return plan.options.refine ? refine(tiling, input) : tiling;
  } catch (const UserError& error) {
    throw UserError(place_of(op), error.what());
  }
}

// Partial results are added up tile by tile: all of one box have the tiles of the longest.
Tiling tile_partial(const Plan& plan, OperatorId id, std::size_t index) {
  const Operator& op = plan.graph.op(id);
  const auto& items = plan.operators[id].split.items;
  const Partials box = partials_of(items, index);
  const auto for_part = [&](std::size_t i, const Tiling& tiling) {
    const auto part = make_contraction(plan, op, items[i]);
    return i == box.longest ? tiling : shortened(tiling, part->shape(), tiling_limits(plan, op, *part));
  };
  const auto fits = [&](std::size_t i, const Tiling& tiling) {
    const auto part = make_contraction(plan, op, items[i]);
    return check_tiling(for_part(i, tiling), part->shape(), tiling_limits(plan, op, *part)).empty();
  };
  Tiling tiling = tile_part(plan, op, items[box.longest], items.size());
  // A range too short to be cut holds two tiles where a longer one collects its sums in one.
  if (!fits(box.shortest, tiling)) tiling = tile_within(plan, op, items[box.longest], items.size(), 2);
  return for_part(index, tiling);
}

// Parts that agree on their tiles have those that the plan counts on every core to hold.
void check_shared_tiles(const Plan& plan, OperatorId id, const WorkItem& item) {
  const CoreSpec &common = plan.hardware.core, &own = plan.hardware.core_of(item.core);
  if (own.buffer_a < common.buffer_a || own.buffer_b < common.buffer_b || own.accumulator < common.accumulator)
    throw UserError(place_of(plan.graph.op(id)),
                    fmt::format("core {} holds less than the other parts of the sum", item.core));
}

std::vector<Tiling> tile_items(Plan& plan, OperatorId id) {
  const auto& items = plan.operators[id].split.items;
  std::map<std::vector<std::int64_t>, Tiling> made;  // parts of the same size on cores of a kind are tiled alike
  std::vector<Tiling> tilings;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].k.size() > 0) {
      check_shared_tiles(plan, id, items[i]);
      tilings.push_back(tile_partial(plan, id, i));
      continue;
    }
    const CoreView view(plan, id, items[i]);
    std::vector<std::int64_t> key = extents_of(items[i].output);
    key.push_back(plan.hardware.kind_number(items[i].core));
    const auto [at, fresh] = made.try_emplace(std::move(key));
    if (fresh) at->second = tile_part(plan, plan.graph.op(id), items[i], items.size());
    tilings.push_back(at->second);
  }
  return tilings;
}

// UserError when a core cannot run the tilings chosen.
void check_chosen(const Plan& plan, OperatorId id, const std::vector<Tiling>& tilings) {
  const Operator& op = plan.graph.op(id);
  const auto& items = plan.operators[id].split.items;
  const std::string where = fmt::format("tiling chosen for '{}'", op.name);
  if (tilings.size() != items.size())
    throw UserError(where, fmt::format("{} tilings for {} parts", tilings.size(), items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto part = make_contraction(plan, op, items[i]);
    const TilingLimits limits = tiling_limits(plan, op, *part, core_of_part(plan, id, items[i]));
    if (items[i].k.size() > 0) check_shared_tiles(plan, id, items[i]);
    const std::string fault = check_tiling(tilings[i], part->shape(), limits);
    if (!fault.empty()) throw UserError(where, fault);
  }
}

// UserError when the parts cannot hand on what the tilings chosen say.
void check_hand_on(const Plan& plan, OperatorId id) {
  const std::string fault = hand_on_fault(plan, id);
  if (fault.empty()) return;
  throw UserError(fmt::format("tiling chosen for '{}'", plan.graph.op(id).name), "hands operands on, but " + fault);
}

}  // namespace

Tiling tile_part(const Plan& plan, const Operator& op, const WorkItem& item, std::size_t cores) {
  return tile_within(plan, op, item, cores, 1);
}

namespace {

// Whether every tile of a part of a convolution holds whole rows, or every partition of one of a product, with room for
// what is made of them.
bool holds_rows(const Plan& plan, OperatorId leader, std::size_t item) {
  const bool windows = plan.graph.op(leader).kind == OpKind::kConv;
  if (group_of(plan, leader) != nullptr) return windows;  // they are walked by whole rows
  const OperatorPlan& planned = plan.operators[leader];
  const Operator& op = plan.graph.op(leader);
  const Tiling& tiling = planned.tilings[item];
  const auto part = make_contraction(plan, op, planned.split.items[item]);
  if (!windows) return row_results_bytes(tiling, part->shape(), tiling_limits(plan, op, *part)) > 0;
  const Columns partition = cut_columns(part->columns(), tiling.partition_n).front();
  return cut_columns(partition, tiling.tile_n).front().column == part->columns().column;
}

// Whether the leader's parts are those of the reduction and hold whole rows.
bool parts_hold_rows(const Plan& plan, OperatorId leader, OperatorId reduction) {
  const auto& items = plan.operators[leader].split.items;
  const auto& reduced = plan.operators[reduction].split.items;
  if (items.size() != reduced.size()) return false;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!(following(items[i]) == reduced[i]) || !holds_rows(plan, leader, i)) return false;
  return true;
}

void follow(Plan& plan, OperatorId id) {
  const auto leader = may_follow(plan, id);
  if (leader && parts_hold_rows(plan, *leader, id)) plan.operators[id].leader = *leader;
}

}  // namespace

void tile(Plan& plan) {
  for (const OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    if (!is_contraction(op.kind) || group_of(plan, id) != nullptr) continue;
    if (const OperatorChoice* choice = plan.options.choice_of(id); choice && !choice->tilings.empty()) {
      check_chosen(plan, id, choice->tilings);
      plan.operators[id].tilings = choice->tilings;
      check_hand_on(plan, id);
      continue;
    }
    plan.operators[id].tilings = tile_items(plan, id);
  }
  for (OperatorGroup& group : plan.groups) tile_group(plan, group);
  for (const OperatorId id : plan.order) follow(plan, id);
}

void verify_tile(const Plan& plan) {
  for (const OperatorId id : plan.order) {
    const Operator& op = plan.graph.op(id);
    const OperatorPlan& planned = plan.operators[id];
    if (!is_contraction(op.kind) || group_of(plan, id) != nullptr) continue;
    SIM_CHECK(planned.tilings.size() == planned.split.items.size(), "'{}' lacks tilings", op.name);
    for (std::size_t i = 0; i < planned.tilings.size(); ++i) {
      const WorkItem& item = planned.split.items[i];
      const auto part = make_contraction(plan, op, item);
      const TilingLimits limits = tiling_limits(plan, op, *part, core_of_part(plan, id, item));
      const std::string fault = check_tiling(planned.tilings[i], part->shape(), limits);
      SIM_CHECK(fault.empty(), "part {} of '{}': {}", i, op.name, fault);
    }
    const std::string fault = hand_on_fault(plan, id);
    SIM_CHECK(fault.empty(), "'{}' hands operands on, but {}", op.name, fault);
  }
  for (const OperatorGroup& group : plan.groups) verify_group_tilings(plan, group);
}

}  // namespace tilewright
