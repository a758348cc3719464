#include "planner/view/view_chain.h"

#include <array>

#include "sim/base/error.h"

namespace tilewright {

std::string_view name_of(ViewOp op) {
  static constexpr std::array<std::string_view, kViewOpCount> names = {
      "view",   "permute", "transpose", "flip",      "slice",  "narrow",
      "select", "expand",  "squeeze",   "unsqueeze", "unfold", "as_strided"};
  return names.at(static_cast<std::size_t>(op));
}

View apply(const ViewStep& step, const View& view, const Shape& base) {
  switch (step.op) {
    case ViewOp::kView:
      return view.reshaped(step.shape);
    case ViewOp::kPermute:
      return view.permuted(step.dims);
    case ViewOp::kTranspose:
      if (step.dims.size() != 2) throw UserError("", "transpose names two dimensions");
      return view.transposed(step.dims[0], step.dims[1]);
    case ViewOp::kFlip:
      return view.flipped(step.dims);
    case ViewOp::kSlice:
      return view.sliced(step.dim, step.start, step.stop, step.step);
    case ViewOp::kNarrow:
      return view.narrowed(step.dim, step.start, step.length);
    case ViewOp::kSelect:
      return view.selected(step.dim, step.start);
    case ViewOp::kExpand:
      return view.expanded(step.shape);
    case ViewOp::kSqueeze:
      return view.squeezed(step.dim);
    case ViewOp::kUnsqueeze:
      return view.unsqueezed(step.dim);
    case ViewOp::kUnfold:
      return view.unfolded(step.dim, step.length, step.step);
    case ViewOp::kAsStrided:
      return strided_view(base, step.shape, step.strides, step.start);
  }
  SIM_CHECK(false, "view operator {}", static_cast<int>(step.op));
}

}  // namespace tilewright
