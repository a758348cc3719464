#include "planner/emit/chain/chain.h"

#include <algorithm>
#include <limits>

#include "planner/estimate/tiling_time.h"
#include "planner/graph/masked_score.h"
#include "planner/ir/epilogue.h"
#include "sim/base/error.h"

namespace tilewright {

Chain::Chain(const Plan& plan, const OperatorGroup& group, const BoxRange& output) : plan_(plan) {
  const std::vector<BoxRange> parts = member_parts(plan, group, output);
  for (std::size_t at = 0; at < parts.size(); ++at) {
    const OperatorId member = group.members[at];
    const Operator& op = plan.graph.op(member);
    if (op.kind == OpKind::kSoftmax) {
      steps_.back().softmax = member;
      continue;
    }
    ChainStep step{.product = member};
    step.part = make_contraction(plan, op, parts[at]);
    step.limits = tiling_limits(plan, op, *step.part);
    steps_.push_back(std::move(step));
  }
}

bool Chain::shares_b(std::size_t step) const {
  const Shape& b = plan_.graph.tensor(steps_[step].part->tensor_b()).shape;
  return std::all_of(b.begin(), b.end() - 2, [](std::int64_t size) { return size == 1; });
}

bool Chain::masked(const Range& batch, const Range& rows, const Range& columns) const {
  if (steps_[0].softmax < 0) return false;
  const Operator& op = plan_.graph.op(steps_[0].product);
  const BoxRange box = steps_[0].part->c(batch, rows, {.column = columns});
  return std::any_of(op.epilogues.begin(), op.epilogues.end(), [&](const Epilogue& epilogue) {
    return epilogue.kind == OpKind::kAdd && form_of(plan_.graph, epilogue) == EpilogueForm::kElement &&
           known_within(plan_.graph, epilogue, box, -std::numeric_limits<double>::infinity(), kMaskedScore);
  });
}

void Chain::append_row_block(const Range& batch, const Range& rows, const ChainBlocks& blocks, int region,
                             std::vector<ChainVisit>& visits) const {
  const auto cuts = cut_range({0, columns()}, blocks.columns);
  std::vector<ChainVisit> block;
  for (const Range& cut : cuts)
    if (cuts.size() == 1 || !masked(batch, rows, cut)) block.push_back({batch, rows, cut});
  if (block.empty()) block.push_back({batch, rows, cuts.front()});
  std::rotate(block.begin(), block.begin() + std::ssize(block) * region / plan_.hardware.dram.regions, block.end());
  block.front().first = block.back().last = true;
  visits.insert(visits.end(), block.begin(), block.end());
}

std::vector<ChainVisit> Chain::visits(const ChainBlocks& blocks, int region) const {
  std::vector<ChainVisit> visits;
  for (const Range& batch : cut_range({0, batches()}, 1))
    for (const Range& block : cut_range({0, rows()}, blocks.rows))
      append_row_block(batch, block, blocks, region, visits);
  return visits;
}

std::int64_t macs_left_out(const Plan& plan) {
  std::int64_t macs = 0;
  for (const OperatorGroup& group : plan.groups) {
    if (walks_windows(plan.graph, group)) continue;
    const auto& items = plan.operators[group.members.back()].split.items;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Chain chain(plan, group, items[i].output);
      if (!chain.columns_can_be_cut()) continue;
      std::int64_t scores = chain.batches() * chain.rows() * chain.columns();
      for (const ChainVisit& visit : chain.visits(chosen_blocks(plan, group, i)))
        scores -= visit.rows.size() * visit.columns.size();
      macs += scores * (chain.steps()[0].part->shape().k + chain.steps()[1].part->shape().n);
    }
  }
  return macs;
}

ChainBlocks chosen_blocks(const Plan& plan, const OperatorGroup& group, std::size_t item) {
  const Tiling& first = plan.operators[group.members.front()].tilings.at(item);
  return {first.tile_m, first.tile_n};
}

Tiling tiling_of(const ChainBlocks& blocks, const Chain& chain, std::size_t step) {
  const GemmShape& shape = chain.steps()[step].part->shape();
  Tiling tiling;
  tiling.partition_m = tiling.tile_m = blocks.rows;
  tiling.partition_n = tiling.tile_n = step == 0 ? blocks.columns : shape.n;
  tiling.partition_k = step == 1 ? blocks.columns : shape.k;
  tiling.need_splitk = tiling.use_acc_buffer = tiling.partition_k < shape.k;
  tiling.load_b = static_cast<double>(ceil_div(shape.m, blocks.rows));
  tiling.utilisation = 0;
  tiling.reason = "by rows, in a group";
  return tiling;
}

}  // namespace tilewright
