// Which blocks a group is walked by, and which cores compute which rows: by predicted time, the model of time
// (planner/estimate) applied to the instructions that the choice leads to.
#pragma once

#include <optional>

#include "planner/emit/chain/chain.h"

namespace tilewright {

struct BlockChoice {
  ChainBlocks blocks;
  double cycles = 0;  // predicted, core clocks
};
// The fastest blocks for a part of the group's result, `cores` such parts at work; nothing when none fit.
std::optional<BlockChoice> choose_blocks(const Plan& plan, const OperatorGroup& group, const BoxRange& output,
                                         int cores);

// Parts of the group's result: batches (ir/group.h says how they are cut) by rows.
struct ChainGrid {
  std::int64_t batches = 1, rows = 1;
  double cycles = 0;  // predicted, of the largest part
};
std::optional<ChainGrid> choose_grid(const Plan& plan, const OperatorGroup& group, int cores);
}  // namespace tilewright
