#include "planner/emit/chain/row_sums.h"

#include <algorithm>

#include "planner/emit/chain/chain_areas.h"
#include "planner/estimate/unit_times.h"
#include "planner/ir/pointwise.h"
#include "sim/isa/unit_time.h"

namespace tilewright {
namespace {

// What a block of columns keeps the units busy, core clocks.
class BlockTimes {
 public:
  BlockTimes(const Chain& chain, const ChainBlocks& blocks)
      : chain_(chain), blocks_(blocks), core_(chain.plan().hardware.core) {
    for (std::size_t step = 0; step < chain.steps().size(); ++step) {
      array_ += product(chain.block_width(step, blocks), chain.block_depth(step, blocks), step);
      vector_ += epilogues(step);
      if (chain.steps()[step].softmax >= 0 && step + 1 < chain.steps().size()) add_softmax(step);
    }
  }

  bool shorter_with_sums_on_array() const {
    return std::max(array_ + array_sums_, vector_) < std::max(array_, vector_ + vector_sums_);
  }

 private:
  // The array is empty before it and behind it: products and the vector unit's passes wait for each other.
  double product(std::int64_t n, std::int64_t k, std::size_t step) const {
    ArrayWork work{.m = blocks_.rows, .n = n, .k = k, .type = type(step)};
    work.a_stationary = shorter_with_a_held(core_.matmul, work);
    const MatmulTime time = matmul_time(core_.matmul, work);
    return static_cast<double>(time.fill + time.busy + time.drain);
  }
  DataType type(std::size_t step) const { return chain_.plan().tensors[chain_.steps()[step].part->tensor_a()].type; }

  // `op` on every element of a step's block.
  double pass(std::size_t step, VectorOp op) const {
    const auto elements = static_cast<double>(blocks_.rows * chain_.block_width(step, blocks_));
    return core_.vector.issue_cycles + lane_time(core_.vector, elements, passes_of(core_.vector, op));
  }
  double reduction(std::size_t step, VectorOp op) const {
    return pass(step, op) + static_cast<double>(blocks_.rows) * core_.vector.reduction_cycles;
  }
  double epilogues(std::size_t step) const {
    double time = 0;
    for (const Epilogue& epilogue : chain_.plan().graph.op(chain_.steps()[step].product).epilogues)
      time += pass(step, vector_op_of(epilogue.kind));
    return time;
  }
  void add_softmax(std::size_t step) {
    vector_ += reduction(step, VectorOp::kReduceMax) + pass(step, VectorOp::kSub) + pass(step, VectorOp::kExp);
    vector_sums_ += reduction(step, VectorOp::kReduceAdd);
    array_sums_ += product(1, chain_.block_width(step, blocks_), step);
  }

  const Chain& chain_;
  const ChainBlocks& blocks_;
  const CoreSpec& core_;
  double array_ = 0, vector_ = 0;            // without the sums
  double array_sums_ = 0, vector_sums_ = 0;  // the sums alone
};

}  // namespace

bool array_adds_rows(const Chain& chain, const ChainBlocks& blocks) {
  return BlockTimes(chain, blocks).shorter_with_sums_on_array();
}

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
