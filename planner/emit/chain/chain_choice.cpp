#include "planner/emit/chain/chain_choice.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "planner/constants/constants.h"
#include "planner/emit/chain/chain_areas.h"
#include "planner/emit/chain/chain_lowering.h"
#include "planner/estimate/bandwidth.h"
#include "planner/estimate/group_stand_in.h"
#include "planner/estimate/group_time.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/access.h"
#include "planner/ir/requirement.h"

namespace tilewright {
namespace {

// Whether a dimension of the group's result chooses the matrix of any operand B.
bool chooses_b(const Plan& plan, const OperatorGroup& group, std::size_t rank, std::size_t dimension) {
  return std::any_of(group.members.begin(), group.members.end(), [&](OperatorId member) {
    const Operator& op = plan.graph.op(member);
    if (op.kind == OpKind::kSoftmax) return false;
    const Shape& b = plan.graph.tensor(op.inputs[1]).shape;
    return dimension + b.size() >= rank && b[dimension + b.size() - rank] > 1;
  });
}

// The part's first batch, with those that share its operands B: the others take as long.
BoxRange first_batches(const Plan& plan, const OperatorGroup& group, BoxRange output) {
  for (std::size_t d = 0; d + 2 < output.size(); ++d)
    if (chooses_b(plan, group, output.size(), d)) output[d].end = output[d].begin + 1;
  return output;
}

std::int64_t batches_of(const BoxRange& output) {
  std::int64_t batches = 1;
  for (std::size_t d = 0; d + 2 < output.size(); ++d) batches *= output[d].size();
  return batches;
}

// The blocks of such batches, by the instructions of their first row blocks: the second differs from the first, which
// loads what all of them use; the others are as the second.
class Prediction {
 public:
  // Sets the stand-in's parts.
  Prediction(GroupStandIn& stand_in, BoxRange batches, int cores)
      : stand_in_(stand_in),
        group_(stand_in.group()),
        batches_(std::move(batches)),
        alone_(stand_in.plan()),
        chain_(alone_, group_, batches_),
        share_(bandwidth_share(alone_.hardware, cores)) {}

  // The longest of the units, and what the others take before and behind it once; more, where row blocks wait for one
  // of so many `places` of their sums.
  double cycles(const ChainBlocks& blocks, int places, std::int64_t all_batches) {
    cut_constants(blocks);
    const Work all = work_of(chain_, blocks);
    const Sample first = sample(blocks, 1);
    GroupTimes times = first.times;
    if (first.work.visits < all.visits) {
      const Sample second = sample(blocks, 2);
      const auto more = [&](double Work::*of) {
        return (all.*of - first.work.*of) / (second.work.*of - first.work.*of);
      };
      times = times.extended(second.times, more(&Work::visits), more(&Work::results));
    }
    const std::int64_t times_over = all_batches / chain_.batches();
    const double cycles = times.cycles(all.visits, static_cast<double>(times_over));
    const auto row_blocks = static_cast<double>(ceil_div(chain_.rows(), blocks.rows) * all_batches);
    return cycles + (row_blocks - 1) * wait_for_place(places, cycles / row_blocks, first.ending);
  }

 private:
  void cut_constants(const ChainBlocks& blocks) {
    for (std::size_t step = 0; step < chain_.steps().size(); ++step) {
      if (!chain_.in_head(step) && !chain_.sums_columns(step)) continue;
      const TensorId b = chain_.steps()[step].part->tensor_b();
      const bool is_last = chain_.in_head(step) != alone_.graph.op(chain_.steps()[step].product).attributes.transpose_b;
      stand_in_.cut_constant(b, static_cast<int>(alone_.graph.tensor(b).shape.size()) - (is_last ? 1 : 2),
                             blocks.columns);
    }
  }

  // Of the last row block, which may have fewer rows, weights are as many as of the others.
  struct Work {
    double visits = 0, results = 0;  // the latter: elements of the head's result
  };
  static Work work_of(const Chain& chain, const ChainBlocks& blocks) {
    Work work;
    for (const ChainVisit& visit : chain.visits(blocks)) {
      ++work.visits;
      work.results += static_cast<double>(visit.rows.size() * visit.columns.size());
    }
    return work;
  }

  struct Sample {
    GroupTimes times;
    Work work;
    double ending = 0;  // what is done with the rows' sums when all visits have added to them
  };

  Sample sample(const ChainBlocks& blocks, std::int64_t row_blocks) {
    BoxRange part = batches_;
    Range& rows = part[part.size() - 2];
    rows.end = std::min(rows.end, rows.begin + row_blocks * blocks.rows);
    stand_in_.assign(part);
    Sample sample{.work = work_of(Chain(alone_, group_, part), blocks)};
    for (const Instruction& instruction : lower_chain(alone_, group_, 0, blocks)) {
      sample.times.add(alone_.hardware, instruction, share_);
      if (ends_rows(instruction)) sample.ending += instruction_time(alone_.hardware, instruction, share_);
    }
    return sample;
  }

  // A place is taken while a row block is computed, `busy`, and until its sums have been finished and stored, `ending`.
  static double wait_for_place(int places, double busy, double ending) {
    return std::max(0.0, (busy + ending) / places - busy);
  }

  bool ends_rows(const Instruction& instruction) const {
    const ChainStep& end = chain_.steps().back();
    const bool of_end = instruction.op == program_operator(end.product) ||
                        (end.softmax >= 0 && instruction.op == program_operator(end.softmax));
    return of_end && (instruction.unit == Unit::kVector || instruction.unit == Unit::kStore);
  }

  GroupStandIn& stand_in_;
  const OperatorGroup& group_;
  const BoxRange batches_;
  const Plan& alone_;
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

// Of the rows and the columns that fit, the most and so many halvings of the whole: smaller blocks overlap better, and
// read more often. Where fewer rows take longer, still fewer are taken to do so, too; columns are halved further while
// that takes less time, since more rows fit.
constexpr int kBlockSteps = 4;
// By how much fewer columns must be predicted faster: what a visit takes besides its instructions is not counted.
// Chosen on 55 random groups (docs/fusion.md).
constexpr double kNarrowerGain = 0.03;
// Cuts of rows instead of batches must be faster by more than sums of doubles differ: cores at the same batch read the
// same at a time, from one memory, which is not counted.
constexpr double kEqualTimes = 1e-6;

// Of `parts`, rounded up to what the array takes at a time, `block`.
std::int64_t part_of(std::int64_t whole, std::int64_t parts, std::int64_t block) {
  const std::int64_t part = ceil_div(whole, parts);
  return part > block ? round_up(part, block) : part;
}

std::vector<std::int64_t> halvings(std::int64_t whole, std::int64_t block) {
  std::vector<std::int64_t> steps{whole};
  while (steps.back() > 1) {
    const std::int64_t half = part_of(steps.back(), 2, block);
    steps.push_back(half < steps.back() ? half : ceil_div(steps.back(), std::int64_t{2}));
  }
  return steps;
}

std::vector<std::int64_t> column_steps(const Chain& chain) {
  if (!chain.columns_can_be_cut()) return {chain.columns()};
  return halvings(chain.columns(), std::max(1, chain.plan().hardware.core.matmul.block_n));
}

// The blocks that one part may be walked by, each predicted.
class Candidates {
 public:
  // Sets the stand-in's parts.
  Candidates(GroupStandIn& stand_in, const BoxRange& output, int cores)
      : prediction_(stand_in, first_batches(stand_in.plan(), stand_in.group(), output), cores),
        chain_(stand_in.plan(), stand_in.group(), output),
        batches_(batches_of(output)),
        row_step_(std::max(1, chain_.plan().hardware.core.matmul.block_m)) {}

  // The fastest; nothing where none fit.
  std::optional<BlockChoice> best() {
    int fitting = 0;
    double wider = std::numeric_limits<double>::infinity();  // what the next more columns take
    for (const std::int64_t columns : column_steps(chain_)) {
      const auto cycles = consider_rows(columns);
      if (!cycles) continue;
      if (++fitting >= kBlockSteps && *cycles > wider) break;
      wider = *cycles;
    }
    return best_;
  }

 private:
  // What the fastest take; nothing where none fit.
  std::optional<double> consider_rows(std::int64_t columns) {
    int fitting = 0;
    double fastest = std::numeric_limits<double>::infinity(), larger = fastest;  // the latter: the next larger block
    std::int64_t too_many = 0;
    for (const std::int64_t rows : halvings(chain_.rows(), row_step_)) {
      const auto cycles = consider({rows, columns});
      if (!cycles) {
        too_many = rows;
        continue;
      }
      if (fitting == 0) fastest = consider_between({rows, columns}, too_many).value_or(fastest);
      fastest = std::min(fastest, *cycles);
      if (++fitting == kBlockSteps || *cycles > larger) break;
      larger = *cycles;
    }
    return fitting > 0 ? std::optional(fastest) : std::nullopt;
  }

  // More rows than `blocks` has, and fewer than do not fit: as few row blocks as fit, each of which reads all of
  // operand B. Predicted time; nothing where there are none.
  std::optional<double> consider_between(ChainBlocks blocks, std::int64_t too_many) {
    if (too_many == 0) return std::nullopt;
    std::int64_t too_few = ceil_div(chain_.rows(), too_many), enough = ceil_div(chain_.rows(), blocks.rows);
    const std::int64_t fitting = blocks.rows;
    while (enough - too_few > 1) {
      const std::int64_t parts = (too_few + enough) / 2, rows = part_of(chain_.rows(), parts, row_step_);
      const bool fits = chain_areas(chain_, {rows, blocks.columns}).has_value();
      (fits ? enough : too_few) = parts;
      if (fits) blocks.rows = rows;
    }
    return blocks.rows > fitting ? consider(blocks) : std::nullopt;
  }

  // Predicted time; nothing where the blocks do not fit.
  std::optional<double> consider(const ChainBlocks& blocks) {
    const auto areas = chain_areas(chain_, blocks);
    if (!areas) return std::nullopt;
    const double cycles = prediction_.cycles(blocks, areas->back().copies_of_c, batches_);
    const double margin = best_ && blocks.columns < best_->blocks.columns ? 1 - kNarrowerGain : 1;
    if (!best_ || cycles < best_->cycles * margin) best_ = BlockChoice{blocks, cycles};
    return cycles;
  }

  Prediction prediction_;
  const Chain chain_;
  const std::int64_t batches_, row_step_;
  std::optional<BlockChoice> best_;
};

// Chooses for parts of one group, which all stand in the same plan.
class BlockSearch {
 public:
  BlockSearch(const Plan& plan, const OperatorGroup& group)
      : stand_in_(plan, group), ends_differ_(has_known_mask(plan.graph, group)) {}

  std::optional<BlockChoice> choose(const BoxRange& output, int cores) {
    return Candidates(stand_in_, output, cores).best();
  }

  // Predicted time of the slower of the first part, `largest`, and the last one, which a causal mask leaves more to do.
  // Nothing where none fit.
  std::optional<double> slower_end(BoxRange largest, int parts) {
    const auto first = choose(largest, parts);
    const std::size_t row = largest.size() - 2;
    const OperatorGroup& group = stand_in_.group();
    const Graph& graph = stand_in_.plan().graph;
    const std::int64_t rows = graph.tensor(graph.op(group.members.back()).output).shape[row];
    if (!first) return std::nullopt;
    if (!ends_differ_ || largest[row].size() == rows) return first->cycles;
    largest[row] = {rows - largest[row].size(), rows};
    return std::max(first->cycles, choose(largest, parts)->cycles);
  }

 private:
  GroupStandIn stand_in_;
  const bool ends_differ_;
};

// The largest part of the batches.
BoxRange largest_batches(const Shape& shape, std::int64_t parts) {
  const std::vector<std::int64_t> cuts = batch_cuts(shape, parts);
  BoxRange largest = whole_box(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) largest[d].end = ceil_div(shape[d], cuts[d]);
  return largest;
}

// Into how many the batches may be cut, the most first; where fewer parts are no larger, fewer.
std::vector<std::int64_t> batch_parts(const Shape& shape, int cores) {
  std::vector<std::int64_t> all;
  for (std::int64_t parts = 1; parts <= cores; ++parts) {
    const std::vector<std::int64_t> cuts = batch_cuts(shape, parts);
    if (product_of(cuts) == parts &&
        (all.empty() || largest_batches(shape, all.back()) != largest_batches(shape, parts)))
      all.push_back(parts);
  }
  std::ranges::reverse(all);
  return all;
}

}  // namespace

std::optional<BlockChoice> choose_blocks(const Plan& plan, const OperatorGroup& group, const BoxRange& output,
                                         int cores) {
  return BlockSearch(plan, group).choose(output, cores);
}

std::optional<ChainGrid> choose_grid(const Plan& plan, const OperatorGroup& group, int cores) {
  const Shape& shape = plan.graph.tensor(plan.graph.op(group.members.back()).output).shape;
  const std::size_t row = shape.size() - 2;
  BlockSearch search(plan, group);
  std::optional<ChainGrid> best;
  for (const std::int64_t pb : batch_parts(shape, cores)) {
    const std::int64_t pm = std::min(shape[row], cores / pb);
    BoxRange largest = largest_batches(shape, pb);
    largest[row].end = ceil_div(shape[row], pm);
    const auto cycles = search.slower_end(largest, static_cast<int>(pb * pm));
    if (cycles && (!best || *cycles < best->cycles * (1 - kEqualTimes))) best = ChainGrid{pb, pm, *cycles};
  }
  return best;
}

}  // namespace tilewright
