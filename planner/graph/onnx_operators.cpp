#include "planner/graph/onnx_operators.h"

namespace tilewright {

const OnnxConversion* find_onnx_conversion(const onnx::NodeProto& node) {
  if (!node.domain().empty() && node.domain() != "ai.onnx") return nullptr;
  for (const auto table : {onnx_matrix_operators(), onnx_window_operators(), onnx_pointwise_operators(),
                           onnx_normalise_operators(), onnx_move_operators(), onnx_shape_operators()})
    for (const OnnxConversion& row : table)
      if (row.type == node.op_type()) return &row;
  return nullptr;
}

}  // namespace tilewright
