#include "planner/passes/tile/tile_groups.h"

#include <algorithm>
#include <map>
#include <optional>

#include "planner/emit/chain/chain_areas.h"
#include "planner/emit/chain/chain_choice.h"
#include "planner/emit/chunk.h"
#include "planner/emit/window_chain/window_areas.h"
#include "planner/emit/window_chain/window_choice.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

Tiling tiling_of(const WindowChain& chain, const WindowAreas& areas, std::size_t visits, std::size_t step) {
  const WindowStep& at = chain.steps()[step];
  const WindowAreas::Step& area = areas.steps[step];
  const GemmShape& shape = at.part->shape();
  Tiling tiling;
  tiling.partition_m = shape.m, tiling.partition_k = shape.k;
  tiling.tile_m = at.grouped() ? shape.m : area.tile_units;
  tiling.tile_n = area.tile_rows * at.box[3].size();
  tiling.partition_n = std::min(shape.n, tiling.tile_n);
  const bool kept = area.weight_tiles * area.tile_units >= at.units();
  tiling.load_a = kept ? 1 : static_cast<double>(visits);
  tiling.utilisation = 0;
  tiling.reason = "by rows, in a group";
  return tiling;
}

// As `rows` rows of the last result at a time need it, for part `item` of every convolution, by step; of a pool none.
// Nothing: they do not fit.
using WindowTilings = std::vector<std::optional<Tiling>>;
std::optional<WindowTilings> window_tilings(const Plan& plan, const OperatorGroup& group, std::size_t item,
                                            std::int64_t rows) {
  const WindowChain chain(plan, group, plan.operators[group.members.back()].split.items[item].output);
  const auto areas = window_areas(chain, rows);
  if (!areas) return std::nullopt;
  const std::size_t visits = chain.visits(rows).size();
  WindowTilings tilings(chain.steps().size());
  for (std::size_t step = 0; step < tilings.size(); ++step)
    if (!chain.steps()[step].is_pool()) tilings[step] = tiling_of(chain, *areas, visits, step);
  return tilings;
}

// How much a part needs of every member.
std::vector<std::int64_t> member_extents(const Plan& plan, const OperatorGroup& group, std::size_t item) {
  std::vector<std::int64_t> extents;
  for (const OperatorId member : group.members)
    for (const std::int64_t extent : extents_of(plan.operators[member].split.items[item].output))
      extents.push_back(extent);
  return extents;
}

std::int64_t best_window_rows(const Plan& plan, const OperatorGroup& group, std::size_t item) {
  const auto& items = plan.operators[group.members.back()].split.items;
  const auto choice = choose_window_rows(plan, group, items[item].output, static_cast<int>(items.size()));
  SIM_CHECK(choice, "no blocks for a part of '{}'", plan.graph.op(group.members.back()).name);
  return choice->rows;
}

// Parts that need as much of every member are walked alike, but where padding at another end takes more room.
void tile_windows(Plan& plan, OperatorGroup& group) {
  std::map<std::vector<std::int64_t>, std::int64_t> made;
  const std::size_t parts = plan.operators[group.members.back()].split.items.size();
  group.block_rows.clear();
  for (std::size_t i = 0; i < parts; ++i) {
    const auto [at, fresh] = made.try_emplace(member_extents(plan, group, i));
    if (fresh) at->second = best_window_rows(plan, group, i);
    std::int64_t rows = at->second;
    auto tilings = window_tilings(plan, group, i, rows);
    if (!tilings) {
      rows = best_window_rows(plan, group, i);
      tilings = window_tilings(plan, group, i, rows);
    }
    group.block_rows.push_back(rows);
    for (std::size_t step = 0; step < group.members.size(); ++step)
      if (const auto& tiling = tilings.value()[step]) plan.operators[group.members[step]].tilings.push_back(*tiling);
  }
}

void verify_window_tilings(const Plan& plan, const OperatorGroup& group) {
  const auto& items = plan.operators[group.members.back()].split.items;
  SIM_CHECK(group.block_rows.size() == items.size(), "{} blocks for {} parts", group.block_rows.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto tilings = window_tilings(plan, group, i, group.block_rows[i]);
    SIM_CHECK(tilings, "blocks of part {} of '{}' do not fit", i, plan.graph.op(group.members.back()).name);
    for (std::size_t step = 0; step < tilings->size(); ++step)
      SIM_CHECK(!(*tilings)[step] || plan.operators[group.members[step]].tilings.at(i) == (*tilings)[step],
                "a convolution of part {} is tiled otherwise than its group", i);
  }
}

// Parts of the same size are walked alike.
void tile_products(Plan& plan, const OperatorGroup& group) {
  const auto& items = plan.operators[group.members.back()].split.items;
  std::map<std::vector<std::int64_t>, ChainBlocks> made;
  for (const WorkItem& item : items) {
    const auto [at, fresh] = made.try_emplace(extents_of(item.output));
    if (fresh) {
      const auto choice = choose_blocks(plan, group, item.output, static_cast<int>(items.size()));
      SIM_CHECK(choice, "no blocks for a part of '{}'", plan.graph.op(group.members.back()).name);
      at->second = choice->blocks;
    }
    const Chain chain(plan, group, item.output);
    for (std::size_t step = 0; step < chain.steps().size(); ++step)
      plan.operators[chain.steps()[step].product].tilings.push_back(tiling_of(at->second, chain, step));
  }
}

void verify_product_tilings(const Plan& plan, const OperatorGroup& group) {
  const auto& items = plan.operators[group.members.back()].split.items;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Chain chain(plan, group, items[i].output);
    const ChainBlocks blocks = chosen_blocks(plan, group, i);
    SIM_CHECK(chain_areas(chain, blocks), "blocks of part {} do not fit", i);
    SIM_CHECK(chain.columns_can_be_cut() || blocks.columns == chain.columns(), "rows of part {} come in blocks", i);
    for (std::size_t step = 0; step < chain.steps().size(); ++step)
      SIM_CHECK(plan.operators[chain.steps()[step].product].tilings.at(i) == tiling_of(blocks, chain, step),
                "a product of part {} is tiled otherwise than its group", i);
  }
}

}  // namespace

void tile_group(Plan& plan, OperatorGroup& group) {
  walks_windows(plan.graph, group) ? tile_windows(plan, group) : tile_products(plan, group);
}

void verify_group_tilings(const Plan& plan, const OperatorGroup& group) {
  walks_windows(plan.graph, group) ? verify_window_tilings(plan, group) : verify_product_tilings(plan, group);
}

}  // namespace tilewright
