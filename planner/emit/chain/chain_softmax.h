// Softmax along the rows of a product. Where the next product sums over them it is left without its division: that
// product's result is divided instead, once per row. Where the columns come in blocks, maximum and sum run on, and the
// result is scaled down whenever the maximum grows (online softmax: Milakov and Gimelshein 2018; FlashAttention, Dao et
// al. 2022). The rows' sums may be left to the array (row_sums.h).
#pragma once

#include <optional>
#include <vector>

#include "planner/emit/chain/row_sums.h"
#include "planner/emit/chunk.h"
#include "planner/emit/pipeline.h"

namespace tilewright {

class RunningSoftmax {
 public:
  struct Places {
    SlotRing::Place maxima, sums;        // two of the former for each row
    std::optional<SlotRing::Place> one;  // for sums that the array forms
  };
  // `rows` rows. Every row ends in one block where `whole`.
  RunningSoftmax(Pipeline& pipeline, const Hardware& hardware, const Places& places, std::int64_t rows, bool whole);

  // exp(scores - maximum so far) to `target`, both [rows, columns]; `reads` besides the scores' slot.
  struct Block {
    ArrayView scores, target;
    Slot scores_slot, target_slot;
    std::int64_t columns;
  };
  void add(const Block& block);
  // The sums of what was added last, where the array forms them: in front of the next product, which waits for it, too.
  void add_up();
  // What was summed up before the last block, [rows, columns] at `sums`, as of the new maximum. Nothing for the first.
  void rescale(const ArrayView& sums, Slot slot, std::int64_t columns);
  // Divides `sums` by the rows' sums of exponentials, to `target` of the same slot.
  void divide(const ArrayView& sums, const ArrayView& target, Slot slot, std::int64_t columns);

 private:
  enum Statistic { kMaximum, kOther, kSum };
  const SlotRing::Place& place_of(int which) const { return which == kSum ? places_.sums : places_.maxima; }
  Slot slot_of(int which) const { return place_of(which).slot; }
  ArrayView statistic(int which, std::int64_t columns) const;
  void on_rows(Vector vector, int target, int a, std::optional<int> b = {});
  void emit(Vector vector, std::int64_t columns, const ArrayView& target, const ArrayView& a, const ArrayView* b,
            std::vector<Slot> reads, Slot written);
  void update_maximum(const Block& block);

  Pipeline& pipeline_;
  const bool rows_on_lanes_;
  const Places places_;
  const std::int64_t rows_;
  const bool whole_;
  bool first_ = true;  // until a block was added
  struct Sums {
    Block block;
    bool accumulate;
  };
  std::optional<Sums> left_;  // for add_up()
  int maximum_ = kMaximum, factor_ = kOther;
};

}  // namespace tilewright
