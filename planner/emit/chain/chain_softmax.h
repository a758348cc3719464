// Softmax along the rows of a product. Where the next product sums over them it is left without its division: that
// product's result is divided instead, once per row. Where the columns come in blocks, maximum and sum run on, and the
// result is scaled down whenever the maximum grows (online softmax: Milakov and Gimelshein 2018; FlashAttention, Dao et
// al. 2022).
#pragma once

#include <vector>

#include "planner/emit/chunk.h"
#include "planner/emit/pipeline.h"

namespace tilewright {

class RunningSoftmax {
 public:
  // `rows` rows; three statistics of each lie at `place`. Every row ends in one block where `whole`.
  RunningSoftmax(Pipeline& pipeline, const Hardware& hardware, const SlotRing::Place& place, std::int64_t rows,
                 bool whole);

  // exp(scores - maximum so far) to `target`, both [rows, columns]; `reads` besides the scores' slot.
  struct Block {
    ArrayView scores, target;
    Slot scores_slot, target_slot;
    std::int64_t columns;
  };
  void add(const Block& block);
  // What was summed up before the last block, [rows, columns] at `sums`, as of the new maximum. Nothing for the first.
  void rescale(const ArrayView& sums, Slot slot, std::int64_t columns);
  // Divides `sums` by the rows' sums of exponentials, to `target` of the same slot.
  void divide(const ArrayView& sums, const ArrayView& target, Slot slot, std::int64_t columns);

 private:
  enum Statistic { kMaximum, kOther, kSum };
  ArrayView statistic(int which, std::int64_t columns) const;
  void on_rows(Vector vector, int target, int a, std::optional<int> b = {});
  void emit(Vector vector, std::int64_t columns, const ArrayView& target, const ArrayView& a, const ArrayView* b,
            std::vector<Slot> reads, Slot written);
  void update_maximum(const Block& block);

  Pipeline& pipeline_;
  const bool rows_on_lanes_;
  const SlotRing::Place place_;
  const std::int64_t rows_;
  const bool whole_;
  bool first_ = true;  // until a block was added
  int maximum_ = kMaximum, factor_ = kOther;
};

}  // namespace tilewright
