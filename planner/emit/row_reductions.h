// Reductions along the rows of a product's result that follow the product (ir/follower.h): formed from each tile of the
// result before it leaves the core, and stored when the last tile of their rows is there.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/emit/area_ring.h"
#include "planner/emit/epilogue_lowering.h"

namespace tilewright {

class RowReductions {
 public:
  // Of the accumulate buffer: places for the results of a partition's rows, in turns, for one follower after the other.
  struct Places {
    Address base = 0;
    Bytes partition = 0, tile = 0;  // bytes of a place, and of a tile's rows in it
    int turns = 1;
  };

  // Of the followers of the product `leader`. Everything given outlives it.
  RowReductions(const Plan& plan, OperatorId leader, const Contraction& part, Pipeline& pipeline, const Places& places);

  // `tile`, the `m_index`th along m of the partition that begins with row `first_row`, is packed [batch][m][n] in the
  // stored type at `c`. The tiles of a partition cover whole rows.
  void add(std::int64_t first_row, std::int64_t m_index, const EpilogueLowering::Tile& tile, const SlotRing::Place& c);

 private:
  struct Follower {
    OperatorId id;
    AreaRing places;
    std::vector<std::int64_t> columns;  // that have been added, by tile along m
  };

  void add(Follower& follower, std::int64_t first_row, std::int64_t m_index, const EpilogueLowering::Tile& tile,
           const SlotRing::Place& c);
  void reduce(const Operator& op, const EpilogueLowering::Tile& tile, const SlotRing::Place& c,
              const AreaRing::Found& rows);
  void store(const Operator& op, const EpilogueLowering::Tile& tile, const AreaRing::Found& rows);

  const Plan& plan_;
  const OperatorId leader_;
  const Contraction& part_;
  Pipeline& pipeline_;
  std::vector<Follower> followers_;
};

}  // namespace tilewright
