// The instructions that bring partial results together: what a core does with a tile of its partial result when all its
// products are in.
#pragma once

#include "planner/emit/epilogue_lowering.h"
#include "planner/emit/pipeline.h"
#include "planner/ir/partials.h"

namespace tilewright {

class PartialTiles {
 public:
  using Tile = EpilogueLowering::Tile;

  // `area`: address in the accumulate buffer from which partial_area() bytes are free for what others computed.
  PartialTiles(const Plan& plan, OperatorId id, std::size_t item, Pipeline& pipeline, Address area);

  // Whether the part has partial results to add or to hand on.
  bool active() const { return partial_ != nullptr; }
  // Whether tiles are cut into shares: the more tiles at a time, the longer they are.
  bool by_shares() const { return partial_ != nullptr && partial_->shares.size() > 1; }

  // Results packed [batch][m][n] in the accumulate buffer.
  struct PlacedTile {
    Tile tile;
    SlotRing::Place place;
  };
  // Share by share of some tiles, adds the children's results to these and hands on the sum. What this core finishes.
  // All cores of a box do so for the same tiles in the same order.
  std::vector<PlacedTile> reduce(const std::vector<PlacedTile>& tiles);

 private:
  // A run of the accumulate buffer: a tile of a share, or a part of one.
  struct Run {
    PlacedTile part;
    Bytes offset = 0;  // in the partial result
    std::int64_t elements = 0;
  };
  std::vector<Run> runs_of(const std::vector<PlacedTile>& tiles, int share) const;
  Run run_of(const PlacedTile& placed, Bytes offset, int number, int count) const;
  void add_read(const PartialRead& read, const std::vector<Run>& runs);
  void add(const PartialRead& read, const Run& run, bool first);
  Transfer load_of(const PartialRead& read, Bytes offset, std::int64_t elements, Address target) const;
  void wait_for(const PartialRead& read, Slot slot);
  void hand_on(int parent, const std::vector<Run>& runs);
  Transfer transfer(TransferKind kind, std::int64_t elements, const Box& from, const Box& to) const;

  const OperatorPlan& operator_;
  const ChipMap map_;
  const PartialPlan* partial_ = nullptr;
  int core_;
  Pipeline& pipeline_;
  DataType type_ = DataType::kFp32;
  std::int64_t chunk_ = 0;  // elements of the area's two halves
  SlotRing area_;
  Bytes done_ = 0;  // of the partial result, in tiles before this one
};

}  // namespace tilewright
