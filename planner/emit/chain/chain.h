// One core's part of a group (ir/group.h) as products one behind the other, and the blocks that it is walked by. The
// first, or the first two where they are side by side, are its head: they read the group's rows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "planner/emit/walk_turn.h"
#include "planner/ir/contraction.h"
#include "planner/ir/group.h"
#include "planner/ir/tiling_limits.h"

namespace tilewright {

// `rows` of every result at a time. Of the head's result `columns` at a time, which the next product sums over: all of
// them, or, where that product is the last one, fewer; a softmax between them then runs on (chain_softmax.h).
struct ChainBlocks {
  std::int64_t rows = 0, columns = 0;
  bool operator==(const ChainBlocks&) const = default;
};

struct ChainStep {
  OperatorId product = -1;
  OperatorId softmax = -1;  // of its result; -1: none
  std::unique_ptr<Contraction> part;
  TilingLimits limits;
};

// What is computed before the next block: a row block of one batch, and of the head's result some columns.
struct ChainVisit {
  Range batch, rows, columns;
  bool first = false, last = false;  // of the row block
};

class Chain {
 public:
  // `output`: part of the group's result.
  Chain(const Plan& plan, const OperatorGroup& group, const BoxRange& output);

  const Plan& plan() const { return plan_; }
  const std::vector<ChainStep>& steps() const { return steps_; }
  std::int64_t batches() const { return steps_[0].part->shape().batches; }
  std::int64_t rows() const { return steps_[0].part->shape().m; }
  std::int64_t columns() const { return steps_[0].part->shape().n; }
  // The last step of the head, whose result goes on.
  std::size_t head() const { return head_; }
  bool in_head(std::size_t step) const { return step <= head_; }
  bool sums_columns(std::size_t step) const { return step == head_ + 1; }
  bool columns_can_be_cut() const { return sums_columns(steps_.size() - 1); }
  // Columns of a step's result that it computes at a time, and what it sums over.
  std::int64_t block_width(std::size_t step, const ChainBlocks& blocks) const;
  std::int64_t block_depth(std::size_t step, const ChainBlocks& blocks) const;
  // A known factor that the result of the first product is multiplied with before all else: its rows of A may be,
  // instead.
  std::optional<double> factor() const;
  // Whether operand B of a step is the same for every batch.
  bool shares_b(std::size_t step) const;

  // In order. Blocks of the head's result that an added mask of known values leaves nothing of are left out, but for
  // one a row block. The columns of a row block are a circle in which cores begin in `turn`: in step they would all
  // read the same at a time, from one memory.
  std::vector<ChainVisit> visits(const ChainBlocks& blocks, const WalkTurn& turn = {}) const;

 private:
  bool masked(const Range& batch, const Range& rows, const Range& columns) const;
  void append_row_block(const Range& batch, const Range& rows, const ChainBlocks& blocks, const WalkTurn& turn,
                        std::vector<ChainVisit>& visits) const;

  const Plan& plan_;
  std::vector<ChainStep> steps_;
  std::size_t head_ = 0;
};

// Calls `with` for each part of each group of products of the plan, and its blocks.
void for_each_chain(const Plan& plan, const std::function<void(const Chain&, const ChainBlocks&)>& with);

// Multiply-adds of all groups that known masks leave out (Chain::visits).
std::int64_t macs_left_out(const Plan& plan);

// The blocks that the tilings of the group's products name, for its part `item`; and the tilings that name them.
ChainBlocks chosen_blocks(const Plan& plan, const OperatorGroup& group, std::size_t item);
Tiling tiling_of(const ChainBlocks& blocks, const Chain& chain, std::size_t step);

}  // namespace tilewright
