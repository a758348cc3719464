// MatMul and Conv seen as batches of C[m,n] = A[m,k] x B[k,n]: which box of which tensor a part of the product reads or
// writes, and how the matmul unit walks it in the buffers.
//
// MatMul: A and B are its inputs (of MatMulNBits B's region is one of bytes, the walk in the buffer one of what they
// are expanded to), a batch is one element of the batch dimensions. Conv: A = weights (m = output channels of a group),
// B = input (n = image, output row, output column; k = channel, kernel row, kernel column), a batch is one group.
#pragma once

#include <memory>
#include <vector>

#include "planner/ir/access.h"
#include "planner/ir/gemm_shape.h"
#include "planner/ir/packed_weights.h"

namespace tilewright {

// A box of columns n in output coordinates. MatMul uses `column` alone.
struct Columns {
  Range image{0, 1}, row{0, 1}, column{0, 1};
  std::int64_t together = 1;  // images that enter the array side by side: not cut while rows can be
  std::int64_t count() const { return image.size() * row.size() * column.size(); }
  bool operator==(const Columns&) const = default;
};

// An operand as it lies in a buffer.
struct OperandBox {
  TensorRegion region;
  Columns columns;  // B: the columns it serves
  std::vector<std::int64_t>
      stride;  // B of a convolution: bytes, by dimension; empty: row-major as the region's extents
};

class Contraction {
 public:
  virtual ~Contraction() = default;

  // Sizes of the part, per batch; k of a partial result is what it sums over.
  const GemmShape& shape() const { return shape_; }
  const Columns& columns() const { return columns_; }
  // Whether C is a partial result, to be added to others.
  bool partial() const { return partial_; }
  // A range of the part's k as one of the whole reduction.
  Range reduction(Range k) const { return {first_k_ + k.begin, first_k_ + k.end}; }
  // How B is stored where it is expanded on its way into the buffer.
  const std::optional<PackedWeights>& packed() const { return packed_; }
  TensorId tensor_a() const { return tensor_a_; }
  TensorId tensor_b() const { return tensor_b_; }

  // Whether consecutive batches are neighbours in every tensor, so that several can move in one transfer.
  virtual bool groupable() const = 0;
  // Whether B is loaded tile by tile (else as whole partitions, because tiles share a halo).
  virtual bool strips_of_b() const = 0;
  // Whether neighbouring columns of B are neighbours in memory: narrow strips are then short runs.
  virtual bool columns_of_b_are_runs() const = 0;

  // Ranges are relative to the part: batch 0..batches, m 0..m, k 0..k.
  virtual OperandBox a(Range batch, Range m, Range k) const = 0;
  virtual OperandBox b(Range batch, const Columns& columns, Range k) const = 0;
  virtual BoxRange c(Range batch, Range m, const Columns& columns) const = 0;
  // What A's rows are multiplied with on their way (Attributes::channel_factors); nothing: they are not.
  virtual std::optional<TensorRegion> factors(Range) const { return std::nullopt; }
  // The product of batch `index` of the operands loaded at `a_address`, `b_address`; `columns` lies inside b.columns.
  // C is written packed at `c_address` as [batch][m][n].
  virtual Matmul matmul(const OperandBox& a, Address a_address, const OperandBox& b, Address b_address,
                        const Columns& columns, std::int64_t index, Address c_address) const = 0;
  // Whether an epilogue's operand has one value per row m (else per column n), and its range in the operand.
  virtual bool epilogue_per_row() const = 0;
  virtual Range epilogue_range(Range batch, Range m, const Columns& columns) const = 0;

 protected:
  // Narrows the part to a range of the reduction; empty: all of it.
  void restrict_k(Range k) {
    if (k.size() == 0) return;
    partial_ = k.size() < shape_.k;
    first_k_ = k.begin;
    shape_.k = k.size();
  }

  GemmShape shape_;
  std::int64_t first_k_ = 0;  // of the reduction
  bool partial_ = false;
  Columns columns_;
  std::optional<PackedWeights> packed_;
  TensorId tensor_a_ = -1, tensor_b_ = -1;
  DataType type_ = DataType::kBf16, accumulator_ = DataType::kFp32;
};

// `output`: the part of the operator's output to compute; `k`: the part of the reduction, empty for all of it. For
// convolutions it is a multiple of the kernel.
std::unique_ptr<Contraction> make_contraction(const Plan& plan, const Operator& op, const BoxRange& output,
                                              Range k = {});
std::unique_ptr<Contraction> make_contraction(const Plan& plan, const Operator& op, const WorkItem& item);

// Boxes of at most `at_most` columns (at least one each) that cover `columns`: whole images, else whole rows of one
// image (of as many as stay together), else parts of a row.
std::vector<Columns> cut_columns(const Columns& columns, std::int64_t at_most);
std::vector<Range> cut_range(Range range, std::int64_t at_most);

}  // namespace tilewright
