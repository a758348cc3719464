#include "planner/emit/chain/row_sums.h"

#include <algorithm>

#include "planner/emit/chain/chain_areas.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/pointwise.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
void write_one(Pipeline& pipeline, const SlotRing::Place& place, DataType type) {
  const VectorOperand at{Space::kBufferB, place.address, {}, type};
  // Whatever lay there, be it no number.
  Vector zero{.op = VectorOp::kWhere, .b_is_immediate = true, .immediate = 0}, one = zero;
  one.op = VectorOp::kAdd, one.immediate = 1;
  zero.a = zero.target = one.a = one.target = at;
  pipeline.emit(Unit::kVector, zero, {}, {place.slot});
  pipeline.emit(Unit::kVector, one, {place.slot}, {place.slot});
}

Matmul row_sums(const ArrayView& rows, const std::array<std::int64_t, 2>& extents, Address one, Address sums,
                bool accumulate) {
  constexpr int kLast = kMatmulDims - 1;
  Matmul matmul{.type = rows.type, .accumulate = accumulate};
  matmul.m[kLast] = extents[0];
  matmul.k[kLast] = extents[1];
  matmul.a = {Space::kBufferA, rows.address, {}, {}};
  matmul.a.row_stride[kLast] = rows.stride[0];
  matmul.a.column_stride[kLast] = rows.stride[1];
  matmul.b = {Space::kBufferB, one, {}, {}};
  matmul.c = {Space::kAccumulator, sums, {}, {}};
  matmul.c.row_stride[kLast] = bytes_of(DataType::kFp32);
  return matmul;
}

std::int64_t macs_of_row_sums(const Plan& plan) {
  std::int64_t macs = 0;
  for (const OperatorGroup& group : plan.groups) {
    if (walks_windows(plan.graph, group)) continue;
    const auto& items = plan.operators[group.members.back()].split.items;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Chain chain(plan, group, items[i].output);
      const ChainBlocks blocks = chosen_blocks(plan, group, i);
      const auto areas = chain_areas(chain, blocks);
      for (std::size_t step = 0; areas && step < areas->size(); ++step)
        if ((*areas)[step].one)
          for (const ChainVisit& visit : chain.visits(blocks))
            macs +=
                visit.rows.size() * (chain.in_head(step) ? visit.columns.size() : chain.steps()[step].part->shape().n);
    }
  }
  return macs;
}

}  // namespace tilewright
