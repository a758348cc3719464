// Values that an ONNX model keeps in files beside it, as PyTorch's exporter leaves them (model.onnx, model.onnx.data).
#pragma once

#include <cstdint>
#include <string>

#include "planner/import/onnx_node.h"

namespace tilewright {

// Takes those of at most `at_most` elements into the model at `path`. What stays outside has no values; so do, unless
// `needed`, tensors whose file is not there, as of a model that was copied without it.
// UserError("tensor 'NAME'", ...) for a file that is not below the model's folder, cannot be read or is shorter than
// the model says, and for a length that does not fit the shape.
void take_in_external_values(onnx::ModelProto& model, const std::string& path, std::int64_t at_most, bool needed);

}  // namespace tilewright
