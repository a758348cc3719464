#include "planner/ir/gemm_shape.h"

namespace tilewright {

std::int64_t ConvShape::input_elements(std::int64_t part_images, std::int64_t part_rows, std::int64_t part_columns,
                                       std::int64_t part_channels) const {
  const std::int64_t height = (part_rows - 1) * stride_h + (kernel_h - 1) * dilation_h + 1;
  const std::int64_t width = (part_columns - 1) * stride_w + (kernel_w - 1) * dilation_w + 1;
  return part_images * part_channels * height * width;
}

}  // namespace tilewright
