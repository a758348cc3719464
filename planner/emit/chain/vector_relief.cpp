#include "planner/emit/chain/vector_relief.h"

#include <algorithm>

#include "planner/estimate/contraction_unit.h"
#include "planner/estimate/unit_times.h"
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

  VectorRelief relief() {
    VectorRelief relief;
    const double saved = chain_.factor() ? saved_by_factor_on_rows() : 0;
    relief.factor_on_rows = saved > 0 && vector_ + vector_sums_ > array_;
    if (relief.factor_on_rows) vector_ -= saved;
    relief.sums_on_array = std::max(array_ + array_sums_, vector_) < std::max(array_, vector_ + vector_sums_);
    return relief;
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

  // `op` on every element of so many columns of a block.
  double pass(std::int64_t columns, VectorOp op) const {
    const auto elements = static_cast<double>(blocks_.rows * columns);
    return core_.vector.issue_cycles + lane_time(core_.vector, elements, passes_of(core_.vector, op));
  }
  double reduction(std::int64_t columns, VectorOp op) const {
    return pass(columns, op) + static_cast<double>(blocks_.rows) * core_.vector.reduction_cycles;
  }
  double epilogues(std::size_t step) const {
    const Operator& op = chain_.plan().graph.op(chain_.steps()[step].product);
    if (op.epilogues.empty()) return 0;
    const auto elements = static_cast<double>(blocks_.rows * chain_.block_width(step, blocks_));
    return static_cast<double>(std::ssize(op.epilogues) * core_.vector.issue_cycles) +
           lane_time(core_.vector, elements, static_cast<double>(epilogue_passes(chain_.plan(), op)));
  }
  void add_softmax(std::size_t step) {
    const std::int64_t columns = chain_.block_width(step, blocks_);
    vector_ += reduction(columns, VectorOp::kReduceMax) + pass(columns, VectorOp::kSub) + pass(columns, VectorOp::kExp);
    vector_sums_ += reduction(columns, VectorOp::kReduceAdd);
    array_sums_ += product(1, columns, step);
  }

  // The rows of A are multiplied once for all blocks of columns.
  double saved_by_factor_on_rows() const {
    const auto blocks = static_cast<double>(ceil_div(chain_.columns(), blocks_.columns));
    return pass(blocks_.columns, VectorOp::kMul) - pass(chain_.block_depth(0, blocks_), VectorOp::kMul) / blocks;
  }

  const Chain& chain_;
  const ChainBlocks& blocks_;
  const CoreSpec& core_;
  double array_ = 0, vector_ = 0;            // without the sums
  double array_sums_ = 0, vector_sums_ = 0;  // the sums alone
};

}  // namespace

VectorRelief vector_relief(const Chain& chain, const ChainBlocks& blocks) { return BlockTimes(chain, blocks).relief(); }

}  // namespace tilewright
