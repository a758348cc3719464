#include "planner/emit/chain/chain_choice.h"

#include <algorithm>
#include <array>

#include "planner/emit/chain/chain_areas.h"
#include "planner/emit/chain/chain_lowering.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/access.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

// A plan of the group alone on one core, every tensor in one piece: what lowering needs, before anything has its place.
Plan stand_in(const Plan& plan, const OperatorGroup& group, const BoxRange& output) {
  Plan alone;
  alone.graph = plan.graph;
  alone.hardware = plan.hardware;
  alone.options = plan.options;
  alone.tensors = plan.tensors;
  alone.groups = {group};
  alone.operators.resize(plan.graph.operators().size());
  for (std::size_t id = 0; id < alone.tensors.size(); ++id) {
    const Shape& shape = alone.graph.tensor(static_cast<TensorId>(id)).shape;
    alone.tensors[id] = {.type = plan.tensors[id].type, .pieces = {{{0, shape.empty() ? 1 : shape[0]}, 0, 0}}};
  }
  for (const OperatorId member : group.members)
    alone.operators[member].split.items = {{0, member_part(plan.graph, member, output), {}}};
  return alone;
}

// The part's first batch: the others take as long.
BoxRange first_batch(BoxRange output) {
  for (std::size_t d = 0; d + 2 < output.size(); ++d) output[d].end = output[d].begin + 1;
  return output;
}

std::int64_t batches_of(const BoxRange& output) {
  std::int64_t batches = 1;
  for (std::size_t d = 0; d + 2 < output.size(); ++d) batches *= output[d].size();
  return batches;
}

// The longest of the units, and what the others take before and behind it once.
double predicted(const Plan& alone, const OperatorGroup& group, const ChainBlocks& blocks, std::int64_t batches,
                 int cores) {
  const double share = bandwidth_share(alone.hardware, cores);
  std::array<double, kUnitCount> busy{};
  std::int64_t products = 0;
  for (const Instruction& instruction : lower_chain(alone, group, 0, blocks)) {
    busy[static_cast<int>(instruction.unit)] += instruction_time(alone.hardware, instruction, share);
    products += instruction.unit == Unit::kMatmul;
  }
  double& loads = busy[static_cast<int>(Unit::kLoad)];
  loads += busy[static_cast<int>(Unit::kStore)];  // one way to memory
  busy[static_cast<int>(Unit::kStore)] = 0;
  double sum = 0, longest = 0;
  for (const double time : busy) sum += time, longest = std::max(longest, time);
  return longest * static_cast<double>(batches) +
         (sum - longest) / static_cast<double>(std::max<std::int64_t>(1, products));
}

// Halvings of `whole`, each rounded up to what the array takes at a time.
std::vector<std::int64_t> steps_down(std::int64_t whole, std::int64_t block, std::size_t most) {
  std::vector<std::int64_t> steps{whole};
  while (steps.size() < most && steps.back() > 1) {
    const std::int64_t half = ceil_div(steps.back(), std::int64_t{2});
    steps.push_back(half > block ? round_up(half, block) : half);
    if (steps.back() == steps[steps.size() - 2]) steps.back() = half;
  }
  return steps;
}

}  // namespace

std::optional<BlockChoice> choose_blocks(const Plan& plan, const OperatorGroup& group, const BoxRange& output,
                                         int cores) {
  const BoxRange one = first_batch(output);
  const Plan alone = stand_in(plan, group, one);
  const Chain chain(alone, group, one);
  const MatmulSpec& unit = plan.hardware.core.matmul;
  const std::size_t every = 64;  // halvings of any length
  const auto columns = steps_down(chain.columns(), std::max(1, unit.block_n), chain.columns_can_be_cut() ? every : 1);
  std::optional<BlockChoice> best;
  for (const std::int64_t width : columns) {
    std::size_t tried = 0;
    for (const std::int64_t rows : steps_down(chain.rows(), std::max(1, unit.block_m), every)) {
      const ChainBlocks blocks{rows, width};
      if (!chain_areas(chain, blocks)) continue;
      const double cycles = predicted(alone, group, blocks, batches_of(output), cores);
      if (!best || cycles < best->cycles) best = BlockChoice{blocks, cycles};
      if (++tried == 4) break;
    }
    if (best && best->blocks.columns > width) break;  // fewer columns did not help
  }
  return best;
}

std::optional<ChainGrid> choose_grid(const Plan& plan, const OperatorGroup& group, int cores) {
  const Shape& shape = plan.graph.tensor(plan.graph.op(group.members.back()).output).shape;
  const std::size_t batch = batch_dimension(shape), row = shape.size() - 2;
  const std::int64_t batches = batch < shape.size() ? shape[batch] : 1;
  std::optional<ChainGrid> best;
  for (std::int64_t pb = std::min<std::int64_t>(batches, cores); pb >= 1; --pb) {
    if (pb > 1 && ceil_div(batches, pb - 1) == ceil_div(batches, pb)) continue;  // fewer do as well
    const std::int64_t pm = std::min(shape[row], cores / pb);
    BoxRange largest = whole_box(shape);
    if (batch < shape.size()) largest[batch].end = ceil_div(batches, pb);
    largest[row].end = ceil_div(shape[row], pm);
    const auto choice = choose_blocks(plan, group, largest, static_cast<int>(pb * pm));
    if (choice && (!best || choice->cycles < best->cycles)) best = ChainGrid{pb, pm, choice->cycles};
  }
  return best;
}

}  // namespace tilewright
