// Chains of view operators as values, in the order they are applied.
#pragma once

#include <string_view>

#include "planner/view/view.h"

namespace tilewright {

enum class ViewOp : std::uint8_t {
  kView,       // shape
  kPermute,    // dims
  kTranspose,  // dims: the two
  kFlip,       // dims: any number of them
  kSlice,      // dim, start, stop, step
  kNarrow,     // dim, start, length
  kSelect,     // dim, start: the index
  kExpand,     // shape
  kSqueeze,    // dim
  kUnsqueeze,  // dim
  kUnfold,     // dim, length: of a window, step
  kAsStrided,  // shape, strides, start: the offset
};
inline constexpr int kViewOpCount = 12;
std::string_view name_of(ViewOp op);  // PyTorch's name, e.g. "as_strided"

struct ViewStep {
  ViewOp op = ViewOp::kView;
  Shape shape;
  std::vector<std::int64_t> dims, strides;
  std::int64_t dim = 0, start = 0, stop = 0, step = 1, length = 1;
};

// The view after one more operator. UserError without a place when it does not fit.
View apply(const ViewStep& step, const View& view, const Shape& base);

}  // namespace tilewright
