// The instructions that bring partial results together: what a core does with a tile of its partial result when all its
// products are in.
#pragma once

#include "planner/emit/pipeline.h"
#include "planner/ir/partials.h"

namespace tilewright {

class PartialTiles {
 public:
  // `area`: address in the accumulate buffer from which partial_area() bytes are free for what others computed.
  PartialTiles(const Plan& plan, OperatorId id, std::size_t item, Pipeline& pipeline, Address area);

  // Whether the part has partial results to add or to hand on.
  bool active() const { return partial_ != nullptr; }
  // Whether this core finishes the result: the others hand on theirs.
  bool is_root() const { return partial_ == nullptr || partial_->parent < 0; }

  // Adds the children's tiles to the `elements` at `address` of the accumulate buffer, then, unless this is the root,
  // hands the sum on. Tiles come in the same order on all cores of a box.
  void reduce(std::int64_t elements, Address address, Slot slot);

 private:
  void add_child(int child, std::int64_t elements, Address address, Slot slot);
  void hand_on(std::int64_t elements, Address address, Slot slot);
  Transfer transfer(TransferKind kind, std::int64_t elements, Space from, Address source, Space to,
                    Address target) const;

  const Plan& plan_;
  const OperatorPlan& operator_;
  const PartialPlan* partial_ = nullptr;
  int core_;
  Pipeline& pipeline_;
  DataType type_ = DataType::kFp32;
  std::int64_t chunk_ = 0;  // elements of the area's two halves
  SlotRing area_;
  Bytes done_ = 0;  // of the partial result, in tiles before this one
};

}  // namespace tilewright
