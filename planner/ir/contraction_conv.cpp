// Conv as a contraction: A = weights [O, C/groups, kh, kw], B = windows of the input [N, C, H, W].
#include <algorithm>

#include "planner/graph/window.h"
#include "planner/ir/contraction.h"
#include "planner/ir/window_region.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

class ConvContraction final : public Contraction {
 public:
  ConvContraction(const Plan& plan, const Operator& op, const BoxRange& output, Range k)
      : input_(plan.graph.tensor(op.inputs[0]).shape),
        window_(window_of(plan.graph, op)),
        output_(output),
        pad_value_(op.attributes.pad_value) {
    if (op.attributes.channel_factors)
      factors_ = op.inputs[2], factors_rank_ = plan.graph.tensor(*factors_).shape.size();
    tensor_a_ = op.inputs[1], tensor_b_ = op.inputs[0];
    type_ = plan.tensors[tensor_b_].type;
    accumulator_ = accumulator_type(type_);
    const Shape& weights = plan.graph.tensor(tensor_a_).shape;
    channels_ = weights[1];
    const std::int64_t group_rows = weights[0] / op.attributes.groups;
    if (op.attributes.groups > 1) {
      SIM_CHECK(output[1].begin % group_rows == 0 && output[1].end % group_rows == 0, "a part cuts a group of '{}'",
                op.name);
      shape_.batches = output[1].size() / group_rows;
      first_group_ = output[1].begin / group_rows;
    }
    columns_ = {output[0], output[2], output[3], plan.hardware.core.matmul.image_granule};
    shape_.m = output[1].size() / shape_.batches;
    shape_.n = columns_.count();
    skips_rows_ = axis(0).size == 1 && axis(0).pad_begin == 0 && axis(0).pad_end == 0;
    shape_.conv = ConvShape{channels_,        axis(0).size, axis(1).size,   output[0].size(), output[2].size(),
                            output[3].size(), row_stride(), axis(1).stride, axis(0).dilation, axis(1).dilation};
    shape_.conv->together = columns_.together;
    shape_.conv->grouped = op.attributes.groups > 1;
    shape_.k = channels_ * shape_.conv->kernel();
    restrict_k(k);
    shape_.conv->channels = shape_.k / shape_.conv->kernel();
  }

  bool groupable() const override { return true; }
  bool strips_of_b() const override { return false; }
  bool columns_of_b_are_runs() const override { return true; }

  OperandBox a(Range batch, Range m, Range k) const override {
    OperandBox box;
    box.region.tensor = tensor_a_;
    box.region.box = {rows(batch, m), channels(k), {0, axis(0).size}, {0, axis(1).size}};
    return box;
  }

  OperandBox b(Range batch, const Columns& columns, Range k) const override {
    OperandBox box;
    box.columns = columns;
    TensorRegion& region = box.region;
    region.tensor = tensor_b_;
    region.pad_low = region.pad_high = {0, 0, 0, 0};
    region.pad_value = pad_value_;
    const Range c = channels(k);
    const std::int64_t first = (first_group_ + batch.begin) * channels_;
    const std::int64_t last = (first_group_ + batch.end - 1) * channels_;
    region.box = {columns.image, {first + c.begin, last + c.end}, {}, {}};
    read_axis(region, 2, columns.row);
    if (skips_rows_) region.step = {1, 1, axis(0).stride, 1};
    read_axis(region, 3, columns.column);
    return box;
  }

  BoxRange c(Range batch, Range m, const Columns& columns) const override {
    return {columns.image, rows(batch, m), columns.row, columns.column};
  }

  std::optional<TensorRegion> factors(Range k) const override {
    if (!factors_) return std::nullopt;
    TensorRegion region;
    region.tensor = *factors_;
    region.box = BoxRange(factors_rank_, Range{0, 1});
    region.box[factors_rank_ - 3] = channels(k);
    return region;
  }

  Matmul matmul(const OperandBox& a, Address a_address, const OperandBox& b, Address b_address, const Columns& columns,
                std::int64_t index, Address c_address) const override {
    const auto ea = a.region.extents(), eb = b.region.extents();
    const auto sa = packed_strides(ea, bytes_of(type_));
    const auto sb = b.stride.empty() ? packed_strides(eb, bytes_of(type_)) : b.stride;
    const std::int64_t row_step = b.region.step.empty() ? axis(0).stride : 1;  // a box of every stride-th row
    const std::int64_t batches = batches_in(a), m = ea[0] / batches, deep = ea[1];
    Matmul out{.type = type_};
    out.m = {1, 1, m};
    out.n = {columns.image.size(), columns.row.size(), columns.column.size()};
    out.k = {deep, axis(0).size, axis(1).size};
    out.a = {Space::kBufferA, a_address + index * m * sa[0], {0, 0, sa[0]}, {sa[1], sa[2], sa[3]}};
    out.b = {Space::kBufferB,
             b_address + index * deep * sb[1] + offset_in(b.columns, columns, row_step, sb),
             {sb[1], axis(0).dilation * sb[2], axis(1).dilation * sb[3]},
             {sb[0], row_step * sb[2], axis(1).stride * sb[3]}};
    const std::int64_t element = bytes_of(accumulator_), row = columns.count() * element;
    out.c = {Space::kAccumulator,
             c_address + index * m * row,
             {0, 0, row},
             {columns.row.size() * columns.column.size() * element, columns.column.size() * element, element}};
    return out;
  }

  bool epilogue_per_row() const override { return true; }
  Range epilogue_range(Range batch, Range m, const Columns&) const override { return rows(batch, m); }

 private:
  const Window::Axis& axis(int i) const { return window_.axes[i]; }
  // Rows between neighbouring output rows in the buffer.
  std::int64_t row_stride() const { return skips_rows_ ? 1 : axis(0).stride; }
  Range channels(Range k) const {
    const std::int64_t kernel = shape_.conv->kernel();
    return {(first_k_ + k.begin) / kernel, (first_k_ + k.end) / kernel};
  }
  std::int64_t batches_in(const OperandBox& a) const {
    return std::max<std::int64_t>(1, a.region.box[0].size() / shape_.m);
  }

  // Output channels; several batches only with all their rows.
  Range rows(Range batch, Range m) const {
    const std::int64_t first = output_[1].begin;
    return {first + batch.begin * shape_.m + m.begin, first + (batch.end - 1) * shape_.m + m.end};
  }

  void read_axis(TensorRegion& region, int d, Range output) const {
    set_window_span(region, d, axis(d - 2), output, input_[d]);
  }

  std::int64_t offset_in(const Columns& loaded, const Columns& tile, std::int64_t row_step,
                         const std::vector<std::int64_t>& strides) const {
    return (tile.image.begin - loaded.image.begin) * strides[0] +
           (tile.row.begin - loaded.row.begin) * row_step * strides[2] +
           (tile.column.begin - loaded.column.begin) * axis(1).stride * strides[3];
  }

  Shape input_;
  Window window_;
  BoxRange output_;
  std::int64_t channels_ = 1, first_group_ = 0;
  double pad_value_ = 0;
  std::optional<TensorId> factors_;
  std::size_t factors_rank_ = 0;
  bool skips_rows_ = false;  // a kernel of one row reads only every stride-th row: only those are loaded
};

}  // namespace

std::unique_ptr<Contraction> make_conv_contraction(const Plan& plan, const Operator& op, const BoxRange& output,
                                                   Range k) {
  return std::make_unique<ConvContraction>(plan, op, output, k);
}

}  // namespace tilewright
