#include "planner/emit/chain/chain_choice.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/emit/chain/chain_areas.h"
#include "planner/emit/chain/chain_lowering.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/access.h"
#include "planner/ir/requirement.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

// A plan of the group's operators alone on one core, every tensor in one piece: what lowering needs, before anything
// has its place. As large as the group, whatever the network.
class StandIn {
 public:
  StandIn(const Plan& plan, const OperatorGroup& group) : from_(plan) {
    plan_.hardware = plan.hardware;
    plan_.groups.push_back({{}, group.batch_parts, group.row_parts});
    for (const OperatorId member : group.members) {
      Operator op = plan.graph.op(member);
      for (TensorId& input : op.inputs) input = tensor(input);
      for (Epilogue& epilogue : op.epilogues)
        if (epilogue.operand) epilogue.operand = tensor(*epilogue.operand);
      op.output = tensor(op.output);
      plan_.groups[0].members.push_back(plan_.graph.add_operator(std::move(op)));
    }
    plan_.operators.resize(plan_.graph.operators().size());
  }

  Plan& plan() { return plan_; }
  const OperatorGroup& group() const { return plan_.groups[0]; }

 private:
  TensorId tensor(TensorId id) {
    const auto [at, is_new] = ids_.try_emplace(id, 0);
    if (!is_new) return at->second;
    Tensor copy = from_.graph.tensor(id);
    copy.producer.reset();
    copy.consumers.clear();
    const std::int64_t first = copy.shape.empty() ? 1 : copy.shape[0];
    plan_.tensors.push_back({.type = from_.tensors[id].type, .pieces = {{{0, first}, 0, 0}}});
    return at->second = plan_.graph.add_tensor(std::move(copy));
  }

  const Plan& from_;
  Plan plan_;
  std::map<TensorId, TensorId> ids_;  // of the network, and here
};

void assign(Plan& alone, const OperatorGroup& group, const BoxRange& output) {
  for (const OperatorId member : group.members)
    alone.operators[member].split.items = {{0, member_part(alone.graph, member, output), {}}};
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

// By unit, core clocks; instructions are read from memory, and stores share its way with the loads.
struct UnitTimes {
  std::array<double, kUnitCount> busy{};

  void add(const Hardware& hardware, const Instruction& instruction, double share) {
    const Unit unit = instruction.unit == Unit::kStore ? Unit::kLoad : instruction.unit;
    busy[static_cast<int>(unit)] += instruction_time(hardware, instruction, share);
    busy[static_cast<int>(Unit::kLoad)] += static_cast<double>(encoded_size(instruction)) / share;
  }
  // This one, and `times` what `more` takes longer.
  UnitTimes extended(const UnitTimes& more, double times) const {
    UnitTimes all = *this;
    for (int unit = 0; unit < kUnitCount; ++unit) all.busy[unit] += times * (more.busy[unit] - busy[unit]);
    return all;
  }
};

// The blocks of one batch, by the instructions of its first row blocks: the second differs from the first, which loads
// what all of them use; the others are as the second.
class Prediction {
 public:
  // `alone`: the stand-in, whose parts this sets.
  Prediction(Plan& alone, const OperatorGroup& group, BoxRange one_batch, int cores)
      : group_(group),
        batch_(std::move(one_batch)),
        alone_(alone),
        chain_(alone_, group, batch_),
        share_(bandwidth_share(alone.hardware, cores)) {}

  // The longest of the units, and what the others take before and behind it once.
  double cycles(const ChainBlocks& blocks, std::int64_t batches) {
    const auto all = static_cast<double>(chain_.visits(blocks).size());
    const Sample first = sample(blocks, 1);
    UnitTimes times = first.times;
    if (first.visits < all) {
      const Sample second = sample(blocks, 2);
      times = times.extended(second.times, (all - first.visits) / (second.visits - first.visits));
    }
    double sum = 0, longest = 0;
    for (const double busy : times.busy) sum += busy, longest = std::max(longest, busy);
    const double loads = times.busy[static_cast<int>(Unit::kLoad)];
    return (longest + constants().hidden_load_weight * loads) * static_cast<double>(batches) + (sum - longest) / all;
  }

 private:
  struct Sample {
    UnitTimes times;
    double visits = 0;
  };

  Sample sample(const ChainBlocks& blocks, std::int64_t row_blocks) {
    BoxRange part = batch_;
    Range& rows = part[part.size() - 2];
    rows.end = std::min(rows.end, rows.begin + row_blocks * blocks.rows);
    assign(alone_, group_, part);
    Sample sample{{}, static_cast<double>(Chain(alone_, group_, part).visits(blocks).size())};
    for (const Instruction& instruction : lower_chain(alone_, group_, 0, blocks))
      sample.times.add(alone_.hardware, instruction, share_);
    return sample;
  }

  const OperatorGroup& group_;
  const BoxRange batch_;
  Plan& alone_;
  const Chain chain_;
  const double share_;
};

// Whether parts of as many rows may take different times: blocks that a mask hides are left out.
bool has_known_mask(const Graph& graph, const OperatorGroup& group) {
  const auto known = [&](const Epilogue& e) { return e.operand && graph.tensor(*e.operand).data.has_value(); };
  return std::any_of(group.members.begin(), group.members.end(), [&](OperatorId member) {
    const auto& epilogues = graph.op(member).epilogues;
    return std::any_of(epilogues.begin(), epilogues.end(), known);
  });
}

// Of the rows and the columns that fit, the most and so many halvings of them: smaller blocks overlap better, and read
// more often. Where fewer rows take longer, still fewer are taken to do so, too.
constexpr int kSteps = 4;

// Halvings of `whole`, each rounded up to what the array takes at a time.
std::vector<std::int64_t> steps_down(std::int64_t whole, std::int64_t block) {
  std::vector<std::int64_t> steps{whole};
  while (steps.back() > 1) {
    const std::int64_t half = ceil_div(steps.back(), std::int64_t{2});
    const std::int64_t rounded = half > block ? round_up(half, block) : half;
    steps.push_back(rounded < steps.back() ? rounded : half);
  }
  return steps;
}

std::vector<std::int64_t> column_steps(const Chain& chain) {
  if (!chain.columns_can_be_cut()) return {chain.columns()};
  return steps_down(chain.columns(), std::max(1, chain.plan().hardware.core.matmul.block_n));
}

// Chooses for parts of one group, which all stand in the same plan.
class BlockSearch {
 public:
  BlockSearch(const Plan& plan, const OperatorGroup& group)
      : stand_in_(plan, group), ends_differ_(has_known_mask(plan.graph, group)) {}

  std::optional<BlockChoice> choose(const BoxRange& output, int cores);

  // Predicted time of the slower of the first part, `largest`, and the last one, which a causal mask leaves more to do.
  // Nothing where none fit.
  std::optional<double> slower_end(BoxRange largest, int parts) {
    const auto first = choose(largest, parts);
    const std::size_t row = largest.size() - 2;
    const std::int64_t rows = alone_.graph.tensor(alone_.graph.op(group_.members.back()).output).shape[row];
    if (!first) return std::nullopt;
    if (!ends_differ_ || largest[row].size() == rows) return first->cycles;
    largest[row] = {rows - largest[row].size(), rows};
    return std::max(first->cycles, choose(largest, parts)->cycles);
  }

 private:
  StandIn stand_in_;
  Plan& alone_ = stand_in_.plan();
  const OperatorGroup& group_ = stand_in_.group();
  const bool ends_differ_;
};

std::optional<BlockChoice> BlockSearch::choose(const BoxRange& output, int cores) {
  Prediction prediction(alone_, group_, first_batch(output), cores);
  const Chain chain(alone_, group_, output);
  std::optional<BlockChoice> best;
  int wide = 0;
  for (const std::int64_t columns : column_steps(chain)) {
    int tried = 0;
    double larger = std::numeric_limits<double>::infinity();  // what the next larger block takes
    for (const std::int64_t rows : steps_down(chain.rows(), std::max(1, alone_.hardware.core.matmul.block_m))) {
      const ChainBlocks blocks{rows, columns};
      if (!chain_areas(chain, blocks)) continue;
      const double cycles = prediction.cycles(blocks, batches_of(output));
      if (!best || cycles < best->cycles) best = BlockChoice{blocks, cycles};
      if (++tried == kSteps || cycles > larger) break;
      larger = cycles;
    }
    if (tried > 0 && ++wide == kSteps) break;
  }
  return best;
}

}  // namespace

std::optional<BlockChoice> choose_blocks(const Plan& plan, const OperatorGroup& group, const BoxRange& output,
                                         int cores) {
  return BlockSearch(plan, group).choose(output, cores);
}

std::optional<ChainGrid> choose_grid(const Plan& plan, const OperatorGroup& group, int cores) {
  const Shape& shape = plan.graph.tensor(plan.graph.op(group.members.back()).output).shape;
  const std::size_t batch = batch_dimension(shape), row = shape.size() - 2;
  const std::int64_t batches = batch < shape.size() ? shape[batch] : 1;
  BlockSearch search(plan, group);
  std::optional<ChainGrid> best;
  for (std::int64_t pb = std::min<std::int64_t>(batches, cores); pb >= 1; --pb) {
    if (pb > 1 && ceil_div(batches, pb - 1) == ceil_div(batches, pb)) continue;  // fewer do as well
    const std::int64_t pm = std::min(shape[row], cores / pb);
    BoxRange largest = whole_box(shape);
    if (batch < shape.size()) largest[batch].end = ceil_div(batches, pb);
    largest[row].end = ceil_div(shape[row], pm);
    const auto cycles = search.slower_end(largest, static_cast<int>(pb * pm));
    if (cycles && (!best || *cycles < best->cycles)) best = ChainGrid{pb, pm, *cycles};
  }
  return best;
}

}  // namespace tilewright
