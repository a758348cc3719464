// One core's part of a group (ir/group.h) as products one behind the other, and the blocks that it is walked by.
#pragma once

#include <memory>
#include <vector>

#include "planner/ir/contraction.h"
#include "planner/ir/group.h"
#include "planner/ir/tiling_limits.h"

namespace tilewright {

// `rows` of every result at a time. Of the first product's result `columns` at a time, which the second product sums
// over: all of them, or, in a chain of two products, fewer; a softmax between them then runs on (chain_softmax.h).
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

// What is computed before the next block: a row block of one batch, and of the first product's result some columns.
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
  bool columns_can_be_cut() const { return steps_.size() == 2; }
  // Whether operand B of a step is the same for every batch.
  bool shares_b(std::size_t step) const;

  // In order. Blocks of the first result that an added mask of known values leaves nothing of are left out, but for one
  // a row block. Cores begin with the columns that belong to a `region` of DRAM (region_in_turn()) and wrap around:
  // weights lie in pieces in all regions, and cores that went through them in step would all read from one at a time.
  std::vector<ChainVisit> visits(const ChainBlocks& blocks, int region = 0) const;

 private:
  bool masked(const Range& batch, const Range& rows, const Range& columns) const;
  void append_row_block(const Range& batch, const Range& rows, const ChainBlocks& blocks, int region,
                        std::vector<ChainVisit>& visits) const;

  const Plan& plan_;
  std::vector<ChainStep> steps_;
};

// Multiply-adds of all groups that known masks leave out (Chain::visits).
std::int64_t macs_left_out(const Plan& plan);

// The blocks that the tilings of the group's products name, for its part `item`; and the tilings that name them.
ChainBlocks chosen_blocks(const Plan& plan, const OperatorGroup& group, std::size_t item);
Tiling tiling_of(const ChainBlocks& blocks, const Chain& chain, std::size_t step);

}  // namespace tilewright
