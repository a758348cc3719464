// MatMul as a contraction: A [..., M, K], B [..., K, N], either transposed in memory; batch dimensions broadcast.
#include "planner/graph/broadcast.h"
#include "planner/ir/contraction.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class MatMulContraction final : public Contraction {
 public:
  MatMulContraction(const Plan& plan, const Operator& op, const BoxRange& output, Range k)
      : plan_(plan), attributes_(op.attributes), output_(output) {
    packed_ = packed_weights(plan, op);
    tensor_a_ = op.inputs[0], tensor_b_ = op.inputs[1];
    type_ = plan.tensors[tensor_a_].type;
    accumulator_ = accumulator_type(type_);
    const Shape& a = plan.graph.tensor(tensor_a_).shape;
    const std::size_t rank = output.size();
    shape_.m = output[rank - 2].size();
    shape_.n = output[rank - 1].size();
    shape_.k = attributes_.transpose_a ? a[a.size() - 2] : a.back();
    for (std::size_t d = 0; d + 2 < rank; ++d) shape_.batches *= output[d].size();
    columns_.column = output[rank - 1];
    restrict_k(k);
  }

  bool groupable() const override {
    std::int64_t long_dimensions = 0;
    for (std::size_t d = 0; d + 2 < output_.size(); ++d) long_dimensions += output_[d].size() > 1;
    return long_dimensions == 1;
  }
  bool strips_of_b() const override { return true; }
  bool columns_of_b_are_runs() const override { return !attributes_.transpose_b; }

  OperandBox a(Range batch, Range m, Range k) const override {
    const Range row{output_[output_.size() - 2].begin + m.begin, output_[output_.size() - 2].begin + m.end};
    k = reduction(k);
    return {operand(tensor_a_, batch, attributes_.transpose_a ? k : row, attributes_.transpose_a ? row : k), {}};
  }
  OperandBox b(Range batch, const Columns& columns, Range k) const override {
    const bool swapped = attributes_.transpose_b;
    k = packed_ ? packed_->rows(reduction(k)) : reduction(k);
    return {operand(tensor_b_, batch, swapped ? columns.column : k, swapped ? k : columns.column), columns};
  }
  BoxRange c(Range batch, Range m, const Columns& columns) const override {
    BoxRange box = batch_box(batch);
    const std::int64_t first = output_[output_.size() - 2].begin;
    box.push_back({first + m.begin, first + m.end});
    box.push_back(columns.column);
    return box;
  }

  Matmul matmul(const OperandBox& a, Address a_address, const OperandBox& b, Address b_address, const Columns& columns,
                std::int64_t index, Address c_address) const override {
    Matmul out{.type = type_};
    const auto ea = a.region.extents(), eb = b.region.extents();
    const Matrix ma = matrix(ea, attributes_.transpose_a), mb = matrix(eb, attributes_.transpose_b);
    out.m[2] = ma.rows, out.k[2] = ma.columns, out.n[2] = columns.column.size();
    out.a = {Space::kBufferA, a_address + index * group_stride(ea), {0, 0, ma.row_stride}, {0, 0, ma.column_stride}};
    const std::int64_t skipped = (columns.column.begin - b.columns.column.begin) * mb.column_stride;
    out.b = {Space::kBufferB,
             b_address + index * group_stride(eb) + skipped,
             {0, 0, mb.row_stride},
             {0, 0, mb.column_stride}};
    const std::int64_t element = bytes_of(accumulator_), row = out.n[2] * element;
    out.c = {Space::kAccumulator, c_address + index * out.m[2] * row, {0, 0, row}, {0, 0, element}};
    return out;
  }

  bool epilogue_per_row() const override { return false; }
  Range epilogue_range(Range, Range, const Columns& columns) const override { return columns.column; }

 private:
  struct Matrix {
    std::int64_t rows, columns, row_stride, column_stride;
  };
  Matrix matrix(const std::vector<std::int64_t>& extents, bool transposed) const {
    const std::int64_t outer = extents[extents.size() - 2], inner = extents.back(), element = bytes_of(type_);
    if (transposed) return {inner, outer, element, inner * element};
    return {outer, inner, inner * element, element};
  }
  // Bytes from one batch of a loaded group to the next; 0 when all share one matrix.
  std::int64_t group_stride(const std::vector<std::int64_t>& extents) const {
    const std::int64_t matrices = product_of({extents.begin(), extents.end() - 2});
    return matrices == 1 ? 0 : extents.back() * extents[extents.size() - 2] * bytes_of(type_);
  }

  // Batch dimensions of the output for a range of linear batch indices: a box in the one long dimension, or one
  // element.
  BoxRange batch_box(Range batch) const {
    BoxRange box(output_.size() - 2);
    std::int64_t rest = batch.begin;
    for (std::size_t d = box.size(); d-- > 0;) {
      const std::int64_t at = output_[d].begin + rest % output_[d].size();
      rest /= output_[d].size();
      box[d] = {at, at + (output_[d].size() > 1 ? batch.size() : 1)};
    }
    return box;
  }

  TensorRegion operand(TensorId tensor, Range batch, Range outer, Range inner) const {
    const Shape& shape = plan_.graph.tensor(tensor).shape;
    const BoxRange of_output = batch_box(batch);
    TensorRegion region;
    region.tensor = tensor;
    const std::size_t rank = shape.size(), missing = output_.size() - rank;
    for (std::size_t d = 0; d + 2 < rank; ++d)
      region.box.push_back(shape[d] == 1 ? Range{0, 1} : of_output[d + missing]);
    region.box.push_back(outer);
    region.box.push_back(inner);
    return region;
  }

  const Plan& plan_;
  Attributes attributes_;
  BoxRange output_;
};

}  // namespace

std::unique_ptr<Contraction> make_matmul_contraction(const Plan& plan, const Operator& op, const BoxRange& output,
                                                     Range k) {
  return std::make_unique<MatMulContraction>(plan, op, output, k);
}

}  // namespace tilewright
