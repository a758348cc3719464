// Products whose weights stay stored as whole numbers of 8 or 4 bits with scales (OpKind::kMatMulNBits).
#pragma once

#include <optional>

#include "planner/import/onnx_steps.h"

namespace tilewright {

// The product of input 0 and weights that input 1 is dequantised from; nothing where that is no such product: the
// weights are computed, or not in a form that has scales for columns and groups of rows, or the model quantises what it
// computes, too. `transposed`: input 1 holds columns as rows.
std::optional<TensorId> packed_product(OnnxBuilder& b, const OnnxNode& node, bool transposed);

}  // namespace tilewright
