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
  if (steps_.size() < 2) return;
  const Operator &first = plan.graph.op(steps_[0].product), &second = plan.graph.op(steps_[1].product);
  if (!are_side_by_side(plan.graph, first, second)) return;
  head_ = 1;
  steps_[1].limits.acc_bytes_per_element -= bytes_of(plan.tensors[first.output].type);  // lies where it was computed
}

std::int64_t Chain::block_width(std::size_t step, const ChainBlocks& blocks) const {
  return in_head(step) ? blocks.columns : steps_[step].part->shape().n;
}

std::int64_t Chain::block_depth(std::size_t step, const ChainBlocks& blocks) const {
  return sums_columns(step) ? blocks.columns : steps_[step].part->shape().k;
}

std::optional<double> Chain::factor() const {
  const auto& epilogues = plan_.graph.op(steps_[0].product).epilogues;
  if (head_ > 0 || epilogues.empty() || epilogues[0].kind != OpKind::kMul ||
      form_of(plan_.graph, epilogues[0]) != EpilogueForm::kScalar)
    return std::nullopt;
  return known_scalar(plan_, *epilogues[0].operand);
}

bool Chain::shares_b(std::size_t step) const {
  const Contraction& part = *steps_[step].part;
  const auto matrix = [&](std::int64_t batch) {
    return part.b({batch, batch + 1}, {.column = {0, part.shape().n}}, {0, part.shape().k}).region.box;
  };
  return matrix(0) == matrix(batches() - 1);
}

bool Chain::masked(const Range& batch, const Range& rows, const Range& columns) const {
  const ChainStep& scores = steps_[head_];
  if (scores.softmax < 0) return false;
  const Operator& op = plan_.graph.op(scores.product);
  const BoxRange box = scores.part->c(batch, rows, {.column = columns});
  return std::any_of(op.epilogues.begin(), op.epilogues.end(), [&](const Epilogue& epilogue) {
    return epilogue.kind == OpKind::kAdd && form_of(plan_.graph, epilogue) == EpilogueForm::kElement &&
           known_within(plan_.graph, epilogue, box, -std::numeric_limits<double>::infinity(), kMaskedScore);
  });
}

void Chain::append_row_block(const Range& batch, const Range& rows, const ChainBlocks& blocks, const WalkTurn& turn,
                             std::vector<ChainVisit>& visits) const {
  const auto cuts = cut_range({0, columns()}, blocks.columns);
  std::vector<ChainVisit> block;
  for (const Range& cut : cuts)
    if (cuts.size() == 1 || !masked(batch, rows, cut)) block.push_back({batch, rows, cut});
  if (block.empty()) block.push_back({batch, rows, cuts.front()});
  std::rotate(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(turn.first(block.size())), block.end());
  block.front().first = block.back().last = true;
  visits.insert(visits.end(), block.begin(), block.end());
}

std::vector<ChainVisit> Chain::visits(const ChainBlocks& blocks, const WalkTurn& turn) const {
  std::vector<ChainVisit> visits;
  for (const Range& batch : cut_range({0, batches()}, 1))
    for (const Range& block : cut_range({0, rows()}, blocks.rows)) append_row_block(batch, block, blocks, turn, visits);
  return visits;
}

void for_each_chain(const Plan& plan, const std::function<void(const Chain&, const ChainBlocks&)>& with) {
  for (const OperatorGroup& group : plan.groups) {
    if (walks_windows(plan.graph, group)) continue;
    const auto& items = plan.operators[group.members.back()].split.items;
    for (std::size_t i = 0; i < items.size(); ++i)
      with(Chain(plan, group, items[i].output), chosen_blocks(plan, group, i));
  }
}

std::int64_t macs_left_out(const Plan& plan) {
  std::int64_t macs = 0;
  for_each_chain(plan, [&](const Chain& chain, const ChainBlocks& blocks) {
    if (!chain.columns_can_be_cut()) return;
    std::int64_t scores = chain.batches() * chain.rows() * chain.columns();
    for (const ChainVisit& visit : chain.visits(blocks)) scores -= visit.rows.size() * visit.columns.size();
    for (std::size_t step = 0; chain.in_head(step); ++step) macs += scores * chain.steps()[step].part->shape().k;
    macs += scores * chain.steps().back().part->shape().n;
  });
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
  tiling.partition_n = tiling.tile_n = chain.block_width(step, blocks);
  tiling.partition_k = chain.block_depth(step, blocks);
  tiling.need_splitk = tiling.use_acc_buffer = tiling.partition_k < shape.k;
  tiling.load_b = static_cast<double>(ceil_div(shape.m, blocks.rows));
  tiling.utilisation = 0;
  tiling.reason = "by rows, in a group";
  return tiling;
}

}  // namespace tilewright
