// The table of ONNX operators that are imported, one file per family.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "planner/import/onnx_builder.h"

namespace tilewright {

struct OnnxConversion {
  std::string_view type;
  void (*convert)(OnnxBuilder& builder, const OnnxNode& node);
  // First and last input that hold a model's weights; a graph input that is only used there is a constant.
  int first_weight = 0, last_weight = -1;
};

std::span<const OnnxConversion> onnx_matrix_operators();
std::span<const OnnxConversion> onnx_window_operators();
std::span<const OnnxConversion> onnx_pointwise_operators();
std::span<const OnnxConversion> onnx_normalise_operators();
std::span<const OnnxConversion> onnx_move_operators();
std::span<const OnnxConversion> onnx_shape_operators();

}  // namespace tilewright
