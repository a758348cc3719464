#include "planner/ir/gemm_shape.h"

#include <algorithm>

namespace tilewright {

std::int64_t ConvShape::input_elements(std::int64_t part_images, std::int64_t part_rows, std::int64_t part_columns,
                                       std::int64_t part_channels) const {
  const std::int64_t height = (part_rows - 1) * stride_h + (kernel_h - 1) * dilation_h + 1;
  const std::int64_t width = (part_columns - 1) * stride_w + (kernel_w - 1) * dilation_w + 1;
  return part_images * part_channels * height * width;
}

OutputBox largest_cut(const OutputBox& whole, std::int64_t together, std::int64_t at_most) {
  const std::int64_t image = whole.rows * whole.columns, group = std::clamp<std::int64_t>(together, 1, whole.images);
  if (at_most >= group * image)
    return {std::min(at_most / (group * image) * group, whole.images), whole.rows, whole.columns};
  const std::int64_t images = std::min(group, at_most), each = std::max<std::int64_t>(1, at_most / images);
  if (each < whole.columns) return {images, 1, each};
  return {images, std::min(each / whole.columns, whole.rows), whole.columns};
}

}  // namespace tilewright
