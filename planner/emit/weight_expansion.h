// Packed weights (ir/packed_weights.h) on their way into buffer B: loads of a tile's bytes and scales into a place
// beside what the matmul unit reads, and the vector unit's instructions that expand them from there.
#pragma once

#include "planner/emit/area_ring.h"
#include "planner/ir/contraction.h"

namespace tilewright {

class WeightExpansion {
 public:
  // `copies` places in buffer B from `base` on, each for `columns` columns of `depth` rows at most. All of them outlive
  // it.
  struct Places {
    Address base = 0;
    std::int64_t columns = 0, depth = 0;
    int copies = 1;
  };
  WeightExpansion(const Plan& plan, const Operator& op, const Contraction& part, Pipeline& pipeline,
                  const Places& places, bool cached);

  // In the pipeline's current step: rows `k` of the part of `columns`, row-major at `target`, in `slot`.
  void expand(Range batch, const Columns& columns, Range k, Address target, Slot slot);

 private:
  // Rows of equal groups, one behind the other, of the whole reduction.
  struct Rows {
    Range first;  // of the first group
    std::int64_t groups = 1;
  };
  std::vector<Rows> rows_of(Range k) const;
  void load(TensorRegion region, Address address, Bytes element, Slot slot);
  void emit(VectorOp op, const Rows& rows, std::int64_t step);

  const Plan& plan_;
  const Operator& op_;
  const Contraction& part_;
  const PackedWeights packed_;
  Pipeline& pipeline_;
  const Bytes scales_at_;
  const bool cached_;
  SlotRing places_;
  // Of what is being expanded.
  Range k_;
  std::int64_t columns_ = 0;
  SlotRing::Place from_{}, to_{};
};

}  // namespace tilewright
