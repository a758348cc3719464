// Sums of a product that wait in the input buffers from one step of K to the next (ir/spill.h), as instructions of the
// vector unit.
#pragma once

#include <optional>

#include "planner/emit/pipeline.h"
#include "planner/ir/spill.h"

namespace tilewright {

class SpilledSums {
 public:
  // Of a part that is tiled like this. `pipeline` outlives it.
  SpilledSums(Pipeline& pipeline, const Tiling& tiling, const GemmShape& shape, const TilingLimits& limits);

  bool any() const { return spill_.has_value(); }
  // Whether the sums of a partition's tile lie there; tiles are counted as in ir/spill.h.
  bool holds(std::int64_t tile) const { return spill_ && tile >= spill_->kept; }
  // In the accumulate buffer: the place of a tile that stays there; that of the next product of one that does not.
  Address kept_at(std::int64_t tile) const { return tile * spill_->tile; }
  SlotRing::Place next_product();

  // A step's product of a tile, `elements` of fp32 at `product`, is added to what the steps before it left; the sum of
  // all steps is left at `product`.
  void add(std::int64_t tile, std::int64_t elements, const SlotRing::Place& product, bool first_step, bool last_step);

 private:
  VectorOperand place_of(std::int64_t tile) const;

  Pipeline& pipeline_;
  const std::optional<Spill> spill_;
  Address at_a_ = 0, at_b_ = 0;
  std::optional<SlotRing> products_;
};

}  // namespace tilewright
