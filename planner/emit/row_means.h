// Means of rows that follow a convolution (ir/follower.h), formed and stored tile by tile of its result.
#pragma once

#include <vector>

#include "planner/emit/epilogue_lowering.h"

namespace tilewright {

class RowMeans {
 public:
  // Of the followers of the convolution `leader`. Everything given outlives it.
  RowMeans(const Plan& plan, OperatorId leader, const Contraction& part, Pipeline& pipeline);

  // `tile` of the result, whole rows, is packed [batch][m][image][row][column] in the stored type at `c`, a place for
  // as many values of the accumulator's type.
  void store(const EpilogueLowering::Tile& tile, const SlotRing::Place& c);

 private:
  void store(OperatorId follower, const EpilogueLowering::Tile& tile, const SlotRing::Place& c);

  const Plan& plan_;
  const OperatorId leader_;
  const Contraction& part_;
  Pipeline& pipeline_;
  const std::vector<OperatorId> followers_;
};

}  // namespace tilewright
